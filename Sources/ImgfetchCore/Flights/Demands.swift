/// The demands of a run on an image, from the network or from a cache.
enum Demands {
  /// The reason why a stored image does not meet these options, or nil if it does. The caller verifies an image that
  /// was verified less than these options demand.
  static func objection(
    status: Int, facts: ImageFacts?, bytes: Int64, url: WebURL, _ options: SharedOptions
  ) -> FetchError? {
    guard options.values.acceptedStatuses.contains(status) else {
      return FetchError(
        .http, url.display, "the stored answer's status is \(status), which is not accepted", status: status)
    }
    if bytes > options.values.maximumBytes { return AnswerRule.tooLarge(url, options.values) }
    guard let facts else { return nil }
    let pixels = Int64(facts.width).multipliedReportingOverflow(by: Int64(facts.height))
    // As for a download: frames count together only where they are decoded. Code that decodes a copy later counts them
    // itself.
    let frames = options.values.verification == .decode ? max(1, facts.frames) : 1
    let all = pixels.partialValue.multipliedReportingOverflow(by: Int64(frames))
    if pixels.overflow || all.overflow || all.partialValue > options.values.maximumPixels {
      return FetchError(
        .limit, url.display,
        "\(facts.width)x\(facts.height) with \(frames) frame(s) are more than \(options.values.maximumPixels) pixels",
        remedy: .allowMorePixels)
    }
    if let objection = options.values.filter.objection(to: facts) { return FetchError(.limit, url.display, objection) }
    return nil
  }
}
