import ImgfetchCore

extension SettingsReader {
  /// Checks that what is asked of images can be known.
  func checkFilter(_ settings: Settings) throws(UsageError) {
    var filter = settings.fetch.filter
    filter.refusedFormats = []
    guard settings.fetch.verification == .none, filter != ImageFilter() else { return }
    throw UsageError(
      "--verify none does not find out what an image is, and --min-size, --max-aspect, --only-format and --strict need that",
      of: command)
  }
}
