import ImgfetchCore

extension GetRun {
  /// Cleans the cache after the last result.
  ///
  /// --max-age bounds the images that this run accepts, not those that others still need: older entries are used by
  /// other runs, and for their validators. So it can only make this cleaning more lenient. An offline run could not
  /// fetch removed images again, and does not clean.
  func cleanCache() {
    guard settings.cache.autoClean, !isDryRun, settings.fetch.policy != .only else { return }
    let own = fetcher.cleanCacheIfDue(
      maximumAge: max(settings.fetch.maximumAge, Self.usualMaximumAge), maximumSize: settings.cache.sizeLimit)
    guard own.images > 0, let limit = settings.cache.sizeLimit else { return }
    // Cleaning leaves half of the limit.
    let wanted = 2 * reporter.roomInCache
    let images = "\(Amount.count(Int(clamping: own.images), "image")) of this run, \(Amount.size(own.bytes)),"
    reporter.messages.warn(
      "\(images) \(own.images == 1 ? "was" : "were") removed from the cache again: "
        + "--max-size \(Amount.size(limit)) is too small for it; it would take \(Amount.option(max(wanted, 2 * limit)))"
    )
  }

  /// A week, the default of `cache clean`.
  static let usualMaximumAge = Duration.seconds(7 * 86_400)
}
