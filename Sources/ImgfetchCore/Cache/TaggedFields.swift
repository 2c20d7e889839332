/// Fields at the end of what is stored, each after its number and its length: a reader passes over those that it does not know, so
/// that a new fact needs no new version of the format.
///
/// What the numbers mean stands with the values that are stored so, and all of them on the page "The format of the disk cache".
enum TaggedFields {
  /// Calls `take` with each field until the end. False where one is cut off.
  static func read(from reader: inout ByteReader, _ take: (_ tag: UInt16, ArraySlice<UInt8>) -> Void) -> Bool {
    while !reader.isAtEnd {
      guard let tag = reader.take(UInt16.self), let length = reader.take(UInt32.self),
        let bytes = reader.takeRaw(Int(length))
      else { return false }
      take(tag, bytes)
    }
    return true
  }
}

extension ByteWriter {
  /// The head of a tagged field; so many bytes are to follow.
  mutating func put(tag: UInt16, length: Int) {
    put(tag)
    put(UInt32(clamping: length))
  }
}
