/// Receives a robots.txt, which is fetched like an image: through the caches, with the same rules, retries and
/// redirects.
final class RobotsFile: ImageSink {
  private let bytes = Guarded<[UInt8]>([])

  /// The request for an origin's robots.txt, on behalf of a flight, or nil if the origin can have none.
  func request(to origin: Origin, for flight: Flight) -> FetchRequest? {
    guard let url = try? WebURL("\(origin)/robots.txt") else { return nil }
    var request = FetchRequest(url, options: Self.options(flight.options), for: .originRules(), sink: self)
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

  /// The request for the beginning of a file that is too large to be received as a whole.
  func beginning(of request: FetchRequest) -> FetchRequest {
    var options = request.options
    options.policy = .off
    options.maximumBytes = .max
    var part = FetchRequest(request.url, options: options, for: .originRules(beginning: self))
    part.priority = request.priority
    return part
  }

  func verdict(of result: FetchResult) -> RobotsBook.Verdict {
    guard let error = result.error, !isCut else {
      return .rules(RobotsRules(bytes.withLock { $0 }, robot: ImgfetchVersion.productToken))
    }
    switch error.kind {
    case .http where (error.status ?? 0) >= 500 || error.status == 429: return .unavailable(error.reason)
    // A redirect that is not followed means that there is no file, too (RFC 9309 §2.3.1.2).
    case .http, .refused, .offline: return .absent
    // Its header is too long, so its beginning is not known.
    case .limit: return .unavailable(error.reason)
    default: return .failed(error)
    }
  }

  /// True if a larger file was cut after the part that counts.
  private var isCut: Bool { bytes.withLock { $0.count } > RobotsRules.sizeLimit }

  /// The options for a robots.txt, on behalf of a flight with these options.
  private static func options(_ options: FetchOptions) -> FetchOptions {
    var options = options.forOriginRules
    options.maximumAge = longestAge.duration
    return options
  }

  /// The time for which the answer counts: what it says itself, but at least a minute, since each of an origin's images
  /// needs it, and at most a day. If the origin could not answer, it is asked again in ten minutes.
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

  /// A day, by RFC 9309 §2.4.
  static let longestAge = Instant.Span.seconds(24 * 3600)
}

// The beginning of a larger file, as it comes.
extension RobotsFile: BodyStream {
  func begin() { bytes.withLock { $0 = [] } }

  var isFull: Bool { false }

  func take(_ piece: borrowing Span<UInt8>) throws(FetchError) {
    let count = piece.count
    let isCut = bytes.withLock { bytes in
      for index in 0..<min(count, RobotsRules.sizeLimit + 1 - bytes.count) { bytes.append(piece[index]) }
      return bytes.count > RobotsRules.sizeLimit
    }
    if isCut { throw FetchError(.limit, "", "the rest of it does not count") }
  }
}
