// Whether a file has an image's bytes already: its size decides nearly always, and only then is it read.
extension OutputTarget {
  /// Large enough that calls cost nothing, small enough for two of them in the processor's cache.
  private static let pieceSize = 128 << 10

  /// Whether the file holds just these bytes. Where its mark says that it is an image of this very key, that is told without reading
  /// it: its size and time are those of the mark.
  func holds(_ body: ImageBody, _ seen: OutputSight, key: OutputKey?) throws(OutputFailure) -> Bool {
    guard seen.status.size == body.count else { return false }
    if let mark = seen.mark, mark.key == key {
      do { return try body.contentHash() == mark.hash } catch { throw OutputFailure(error, path) }
    }
    // What cannot be read cannot be compared; whether it can be replaced shows then.
    guard let file = try? folder.descriptor.file.open(name, [.read, .noFollow, .nonBlocking]) else { return false }
    return try hasSameBytes(file, body)
  }

  private func hasSameBytes(_ file: borrowing Descriptor, _ body: ImageBody) throws(OutputFailure) -> Bool {
    switch body.content {
    case .bytes(let bytes):
      // One byte more than there should be, so that a file that has grown meanwhile is seen to have; it ends where nothing more
      // came along, which need not be asked for.
      var held: [UInt8] = []
      do {
        while held.count < bytes.count, try file.read(into: &held, count: bytes.count + 1 - held.count) > 0 {}
      } catch { return false }
      return held.isSame(as: bytes)
    case .file(let stored):
      return try hasSameBytes(file, body, stored)
    }
  }

  /// Piece by piece, up to the first difference. The stored bytes are checked on the way: were both damaged alike, the
  /// file would be taken for right.
  private func hasSameBytes(
    _ file: borrowing Descriptor, _ body: ImageBody, _ stored: ImageBody.Stored
  ) throws(OutputFailure) -> Bool {
    var hasher = body.isChecked ? nil : ContentHasher()
    var here: [UInt8] = []
    var there: [UInt8] = []
    var offset: Int64 = 0
    while offset < stored.length {
      let wanted = Int(min(Int64(Self.pieceSize), stored.length - offset))
      here.removeAll(keepingCapacity: true)
      there.removeAll(keepingCapacity: true)
      do { _ = try stored.descriptor.file.read(into: &there, count: wanted, at: offset) } catch { throw .source(error) }
      if there.count < wanted { throw .damaged }
      do { _ = try file.read(into: &here, count: wanted, at: offset) } catch { return false }
      if !here.isSame(as: there) { return false }
      hasher?.update(there.span)
      offset += Int64(wanted)
    }
    if let hasher, let expected = stored.expectedHash {
      if hasher.value != expected { throw .damaged }
      body.noteChecked()
    }
    return true
  }
}
