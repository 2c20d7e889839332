/// The hashes of an entry's earlier bodies, the last one first. On a file system without attributes, a file with one of
/// these hashes is an earlier version of the image.
package struct EarlierBodies: Hashable, Sendable {
  package private(set) var hashes: [ContentHash] = []

  /// The most earlier bodies. Images of web cameras change each minute, and no user's file is eight versions behind.
  static let limit = 8

  package init() {}

  /// The earlier bodies of an entry that replaces `entry`.
  init(of entry: CachedEntry, replacedBy body: ContentHash) {
    // An entry without a body is a mark for another one, and no version of the image.
    let last = entry.body.count == 0 ? nil : entry.bodyHash
    let known = (last.map { [$0] } ?? []) + entry.metadata.earlierBodies.hashes
    hashes = Array(known.filter { $0 != body }.prefix(Self.limit))
  }
}

// The stored form, as a tagged field.
extension EarlierBodies {
  static let tag: UInt16 = 20
  private static let length = 16

  func write(to writer: inout ByteWriter) {
    if hashes.isEmpty { return }
    writer.put(tag: Self.tag, length: hashes.count * Self.length)
    for hash in hashes { writer.put(hash) }
  }

  /// An unreadable field counts as missing.
  init(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count.isMultiple(of: Self.length), bytes.count <= Self.limit * Self.length else { return }
    var reader = ByteReader(Array(bytes), in: 0..<bytes.count)
    while let hash = reader.takeHash() { hashes.append(hash) }
  }
}
