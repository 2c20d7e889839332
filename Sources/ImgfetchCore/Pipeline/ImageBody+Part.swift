extension ImageBody {
  /// Some of its bytes, as a body of their own; nil if they cannot be had. A stored body is checked as a whole first.
  ///
  /// - Parameter range: within the body.
  func part(_ range: ClosedRange<Int64>, spool: String) -> ImageBody? {
    switch content {
    case .bytes(let bytes):
      return ImageBody(.bytes([UInt8](bytes[Int(range.lowerBound)...Int(range.upperBound)])))
    case .file(let stored):
      guard isChecked || (try? read { _ in }) != nil else { return nil }
      do throws(SystemError) {
        let count = range.count
        let file = SharedDescriptor(try TemporaryFile.scratch(in: spool))
        guard try stored.copy(from: range.lowerBound, count: count, to: file.file, at: 0) == count else { return nil }
        return ImageBody(.file(Stored(descriptor: file, length: Int64(count), expectedHash: nil)))
      } catch { return nil }
    }
  }
}
