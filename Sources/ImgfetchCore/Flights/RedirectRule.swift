/// Where a redirect leads, or why it is not followed.
///
/// Each hop is a request of its own: it must be http or https, may not step down from https to http, is counted, and meets the
/// host rules like the first. To another origin go only the fields that say nothing about who asks.
struct RedirectRule {
  enum Decision: Equatable {
    case follow(WebURL)
    /// An answer like any other, if its status is accepted.
    case notARedirect
    case refuse(reason: String)
  }

  static let statuses = StatusSet(bounds: [301, 303, 307, 308])

  /// What may go along to another origin.
  static let harmlessFields: Set<String> = ["accept", "accept-language", "user-agent"]

  static func decide(
    status: Int, location: String?, from url: WebURL, hops: Int, options: FetchOptions
  ) -> Decision {
    guard statuses.contains(status), let location else { return .notARedirect }
    guard hops < options.maximumRedirects else {
      if options.acceptedStatuses.contains(status) { return .notARedirect }
      return .refuse(
        reason: options.maximumRedirects == 0
          ? "redirects (\(status)), and no redirect may be followed"
          : "redirects more than \(options.maximumRedirects) times")
    }
    let target: WebURL
    do { target = try url.resolving(location) } catch {
      return .refuse(reason: "redirects (\(status)) to what is not followed: \(error)")
    }
    if url.scheme == "https" && target.scheme == "http" {
      return .refuse(reason: "redirects (\(status)) from https to http (\(target.display)), which is not followed")
    }
    return .follow(target)
  }

  /// What helps where a redirect was refused after so many others.
  static func remedy(hops: Int, _ options: FetchOptions) -> FetchError.Remedy? {
    hops < options.maximumRedirects ? nil : .allowMoreRedirects
  }

  /// The fields that go out to `target`, of those that the first origin got.
  static func fields(
    _ fields: [(name: String, value: String)], from first: Origin, to target: Origin
  ) -> [(name: String, value: String)] {
    first == target ? fields : fields.filter { harmlessFields.contains($0.name.lowercased()) }
  }
}
