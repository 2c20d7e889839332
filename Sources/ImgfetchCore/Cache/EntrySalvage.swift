/// Finds out whose image a damaged entry was, so that a user can be told which URL to fetch again.
///
/// The file's name is the hash of its key, so a text in the file that hashes to the name is the key, whatever else is wrong.
enum EntrySalvage {
  /// Keys stand in front of the header fields, and few answers have more than this of those.
  private static let tail: Int64 = 64 << 10
  private static let longestKey = 8 << 10

  /// Nil where the key is damaged too, or cut off.
  static func url(_ path: String, in folder: CacheFolder) -> String? {
    var bytes: [UInt8] = []
    guard
      let file = try? folder.namespace.openBeneath(path, [.read, .noFollow, .nonBlocking, .noAccessTime]),
      let status = try? file.status(), folder.trust.trusts(status),
      let count = try? file.read(into: &bytes, count: Int(min(tail, status.size)), at: max(0, status.size - tail)),
      count > 4
    else { return nil }
    for place in 4..<count where mayBegin(bytes[place]) {
      var reader = ByteReader(bytes, in: (place - 4)..<count)
      guard let length = reader.take(UInt32.self), length > 0, length <= longestKey,
        let raw = reader.takeRaw(Int(length))
      else { continue }
      let key = CacheKey(url: String(decoding: raw, as: UTF8.self))
      // A salt or a variant only adds to the name.
      if path == key.path || path.hasPrefix(key.path + "-") { return key.url }
    }
    return nil
  }

  /// A key is a URL, or begins with the mark of one that was given instead.
  private static func mayBegin(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "h") || byte == UInt8(ascii: "|") }
}
