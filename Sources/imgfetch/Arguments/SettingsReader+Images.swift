import ImgfetchCore

extension SettingsReader {
  /// Checks that what is asked of images can be known.
  func checkFilter(_ settings: Settings) throws(UsageError) {
    guard settings.fetch.verification == .none, settings.fetch.filter != ImageFilter() else { return }
    let options = "--min-size, --max-aspect, --only-format" + (command == .pack ? ", --without" : "")
    throw UsageError(
      "--verify none does not find out what an image is, and \(options) and --strict need that", of: command)
  }
}
