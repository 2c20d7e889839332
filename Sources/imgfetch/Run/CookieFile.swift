import ImgfetchCore

/// `--cookie-jar`: the file as the run leaves it.
enum CookieFile {
  /// Puts the cookies into the file, whole or not at all, for its owner only.
  static func write(_ jar: CookieJar, to path: String) throws(FetchError) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    do throws(SystemError) {
      let file = try TemporaryFile(in: Descriptor.folder(folder), mode: 0o600)
      try file.descriptor.write(Array(jar.text.utf8).span)
      try file.publish(as: name, replacing: true)
    } catch {
      throw FetchError(.file, path, "the cookies cannot be written: \(error.code)")
    }
  }
}
