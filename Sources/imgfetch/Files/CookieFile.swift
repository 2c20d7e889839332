import ImgfetchCore

/// `--cookie-jar`: writes the cookies back at the end of the run.
enum CookieFile {
  /// Writes the cookies to the file, all or nothing, readable by its owner only.
  static func write(_ jar: CookieJar, to path: String) throws(FetchError) {
    do throws(SystemError) {
      var file = try AtomicFile.create(path, mode: .ownersOnly)
      try file.write(Array(jar.text.utf8).span)
      try file.publish()
    } catch {
      throw FetchError(.file, path, "the cookies cannot be written: \(error.code)")
    }
  }
}
