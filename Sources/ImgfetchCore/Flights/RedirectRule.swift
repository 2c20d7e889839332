/// Judges a redirect: the URL that it leads to, or the reason why it is not followed.
///
/// Each hop is a request of its own: it must be http or https, may not lead from https to http, is counted, and is
/// subject to the host rules like the first. A redirect to something that cannot be requested is an answer, if its
/// status is accepted. Only fields that identify no user go to another origin.
struct RedirectRule {
  enum Decision: Equatable {
    case follow(WebURL)
    /// An answer like any other, if its status is accepted.
    case notARedirect
    case refuse(reason: String, remedy: FetchError.Remedy?)
  }

  static let statuses = StatusSet(bounds: [301, 303, 307, 308])

  static func decide(
    status: Int, location: String?, from url: WebURL, hops: Int, options: FetchOptions
  ) -> Decision {
    guard statuses.contains(status), let location else { return .notARedirect }
    guard hops < options.maximumRedirects else {
      if options.acceptedStatuses.contains(status) { return .notARedirect }
      return .refuse(
        reason: options.maximumRedirects == 0
          ? "redirects (\(status)), and no redirect may be followed"
          : "redirects more than \(options.maximumRedirects == 1 ? "once" : "\(options.maximumRedirects) times")",
        remedy: .allowMoreRedirects)
    }
    let target: WebURL
    do { target = try url.resolving(location) } catch {
      // A lack on this machine says nothing about the target.
      if error.remedy == nil, options.acceptedStatuses.contains(status) { return .notARedirect }
      return .refuse(
        reason: "redirects (\(status)) to \(WebURL.masked(location)), which is not followed: \(error)",
        remedy: error.remedy)
    }
    if url.scheme == "https" && target.scheme == "http" && !options.allowsDowngrade {
      return .refuse(
        reason: "redirects (\(status)) from https to http (\(target.display)), which is not followed",
        remedy: .allowDowngrade)
    }
    return .follow(target)
  }

  /// The fields that are sent to `target`, of those that the first origin got.
  static func fields(
    _ fields: [(name: String, value: String)], from first: Origin, to target: Origin
  ) -> [(name: String, value: String)] {
    first == target ? fields : fields.filter { FieldNature.of($0.name).contains(.travelling) }
  }
}
