/// Takes a robots.txt in, which is fetched like an image, without being one: through the caches, with the same
/// rules, retries and redirects.
final class RobotsFile: ImageSink {
  private let bytes = Guarded<[UInt8]>([])

  /// The request for an origin's robots.txt, on behalf of a flight, or nil if the origin can have none.
  func request(to origin: Origin, for flight: Flight) -> FetchRequest? {
    guard let url = try? WebURL("\(origin)/robots.txt") else { return nil }
    var request = FetchRequest(url, options: Self.options(flight.options), sink: self)
    request.priority = .high
    return request
  }

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    var file: [UInt8] = []
    do throws(BodyReadFailure) {
      try image.body.read { piece in
        for index in 0..<min(piece.count, RobotsRules.sizeLimit + 1 - file.count) { file.append(piece[index]) }
      }
    } catch { throw FetchError(.file, request.url.display, "\(error)") }
    bytes.withLock { $0 = file }
    return Delivery(output: nil, isNew: true)
  }

  func verdict(of result: FetchResult) -> RobotsBook.Verdict {
    guard let error = result.error else {
      return .rules(RobotsRules(bytes.withLock { $0 }, robot: ImgfetchVersion.productToken))
    }
    switch error.kind {
    case .http where (error.status ?? 0) >= 500 || error.status == 429: return .unavailable(error.reason)
    // A redirect that is not followed counts as none, too (RFC 9309 §2.3.1.2).
    case .http, .refused, .offline: return .absent
    // Its beginning has rules, which are not known.
    case .limit: return .unavailable(error.reason)
    default: return .failed(error)
    }
  }

  /// The options for a robots.txt, on behalf of a flight with these options.
  private static func options(_ options: FetchOptions) -> FetchOptions {
    var options = options
    options.obeysRobots = false
    options.isForAnother = true
    options.verification = .none
    options.filter = ImageFilter()
    options.acceptedStatuses = .success
    options.maximumBytes = largest
    options.maximumRedirects = max(options.maximumRedirects, 5)
    options.reportsChecksum = false
    options.skipsFailedFor = nil
    options.policy = options.policy == .off || options.policy == .memory ? .memory : .age
    options.maximumAge = longestAge.duration
    return options
  }

  /// The time for which the answer counts: as long as it says itself, but a minute at least, since each of an origin's
  /// images needs it, and a day at most. An origin that could not say is asked again in ten minutes.
  static func age(of result: FetchResult, at now: WallTime) -> Instant.Span {
    guard result.error == nil else { return (result.error?.status ?? 500) < 500 ? longestAge : .seconds(600) }
    guard let fields = result.fields, let status = result.status else { return longestAge }
    let freshness = Freshness(
      status: status, fields: fields, directives: ResponseDirectives(fields), requestTime: now, responseTime: now,
      now: now)
    guard freshness.source == .maxAge || freshness.source == .expires else { return longestAge }
    let left = Instant.Span(nanoseconds: Freshness.nanoseconds(freshness.lifetime))
    return min(longestAge, max(.seconds(60), left))
  }

  /// RFC 9309 §2.4.
  static let longestAge = Instant.Span.seconds(24 * 3600)
  /// The most bytes that are received, to bound endless files. Those beyond ``RobotsRules/sizeLimit`` are passed over.
  private static let largest: Int64 = 16 << 20
}
