extension String {
  /// The text that a range of bytes is; what is no UTF-8 among them becomes U+FFFD.
  ///
  /// Without an array or a slice between them: those cost several times the copying, and names and URLs are cut with each image.
  package init(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
    if let text = try? UTF8Span(validating: bytes.extracting(range)) {
      self.init(copying: text)
      return
    }
    var copy: [UInt8] = []
    copy.reserveCapacity(range.count)
    for index in range { copy.append(bytes[index]) }
    self.init(decoding: copy, as: UTF8.self)
  }
}
