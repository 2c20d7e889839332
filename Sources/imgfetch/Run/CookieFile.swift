import ImgfetchCore

/// `--cookie-jar`: the file as the run leaves it.
enum CookieFile {
  /// Puts the cookies into the file, whole or not at all, for its owner only.
  static func write(_ jar: CookieJar, to path: String) throws(FetchError) {
    do throws(SystemError) {
      var file = try WholeFile.create(path, mode: .ownersOnly)
      try file.write(Array(jar.text.utf8).span)
      try file.publish()
    } catch {
      throw FetchError(.file, path, "the cookies cannot be written: \(error.code)")
    }
  }
}
