/// Random bytes that only this user knows. Salts made with it cannot be tried out by who sees the names of entries.
enum Secret {
  static let length = 32

  /// Nil if there is none, or none that is whole and ours alone; then another is made.
  static func read(in folder: CacheFolder) throws(SystemError) -> [UInt8]? {
    do {
      let file = try folder.version.open(CacheFolder.Names.secret, [.read, .noFollow, .nonBlocking])
      let status = try file.status()
      var bytes: [UInt8] = []
      if folder.trust.trusts(status), status.mode & 0o077 == 0, status.size == Int64(length),
        try file.read(into: &bytes, count: length, at: 0) == length
      {
        return bytes
      }
      try folder.version.remove(CacheFolder.Names.secret)
      return nil
    } catch {
      if error.code == .noSuchFile { return nil }
      throw error
    }
  }

  /// Written whole before it has its name; where two do so at once, the first one's stays.
  static func make(in folder: CacheFolder) throws(SystemError) {
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let file = try TemporaryFile(in: folder.version.open(".", [.read, .directory]), mode: 0o600)
    try file.descriptor.write(bytes.span)
    do { try file.publish(as: CacheFolder.Names.secret, replacing: false) } catch {
      if error.code != .fileExists { throw error }
    }
  }
}
