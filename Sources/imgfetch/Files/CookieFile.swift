import ImgfetchCore

/// `--cookie-jar`: writes the cookies back at the end of the run.
enum CookieFile {
  /// Writes the cookies that a run has changed to the file, all or nothing, readable by its owner only.
  static func keep(of fetcher: Fetcher, _ settings: Settings) throws(FetchError) {
    guard let path = settings.credentials.cookieJar, let jar = fetcher.changedCookies else { return }
    do throws(SystemError) {
      var file = try AtomicFile.create(path, mode: .ownersOnly)
      try file.write(Array(jar.text.utf8).span)
      try file.publish()
    } catch {
      throw FetchError(.file, path, "the cookies cannot be written: \(error.code)")
    }
  }
}
