/// An entry as it comes from another machine: body, metadata and footer in one sequence of bytes. No part of it is
/// trusted before it is checked.
struct TransferredEntry: Sendable {
  let metadata: EntryMetadata
  let bodyLength: Int64
  let bodyHash: ContentHash

  /// The reason why an object is not such an entry.
  enum Problem: Error {
    /// The object is damaged, something else, or an entry of another key.
    case wrong
    /// The object is an entry that a later version of this program wrote.
    case newer
  }

  /// Reads the end of `object`, which is to be an entry of this key.
  init(_ object: ImageBody, key: CacheKey) throws(Problem) {
    guard let end = Self.end(of: object, EntryReading.usualTrailer) else { throw .wrong }
    let footer: EntryFooter
    switch EntryFooter.read(end, fileLength: object.count) {
    case .footer(let found): footer = found
    case .newer: throw .newer
    case .damaged: throw .wrong
    }
    let count = footer.metadataLength + EntryFooter.length
    guard let trailer = count <= end.count ? end : Self.end(of: object, count), trailer.count >= count else {
      throw .wrong
    }
    let range = (trailer.count - count)..<(trailer.count - EntryFooter.length)
    guard ContentHash(of: trailer.span.extracting(range)) == footer.metadataHash else { throw .wrong }
    switch EntryMetadata.read(trailer, in: range, version: footer.version, expected: key) {
    case .metadata(let found): metadata = found
    case .newer: throw .newer
    case .damaged: throw .wrong
    }
    bodyLength = footer.bodyLength
    bodyHash = footer.bodyHash
  }

  /// The last `count` bytes, or all of them if there are fewer, or nil if they cannot be read.
  private static func end(of object: ImageBody, _ count: Int) -> [UInt8]? {
    let count = Int(min(Int64(count), object.count))
    let bytes = object.bytes(from: object.count - Int64(count), atMost: count)
    return bytes.count == count ? bytes : nil
  }

  /// Passes the body to `take`, piece by piece. Returns false if it is not the body that the footer names, or cannot be
  /// read.
  func readBody(of object: ImageBody, _ take: (borrowing Span<UInt8>) -> Void) -> Bool {
    var hasher = ContentHasher()
    var left = bodyLength
    let isRead: Void? = try? object.read { piece in
      let count = Int(min(Int64(piece.count), left))
      guard count > 0 else { return }
      let part = piece.extracting(0..<count)
      hasher.update(part)
      take(part)
      left -= Int64(count)
    }
    return isRead != nil && left == 0 && hasher.value == bodyHash
  }
}
