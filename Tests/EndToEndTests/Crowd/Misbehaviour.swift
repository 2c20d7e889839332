import ImgfetchCore
import TestSupport

/// The faults of the faulty server.
enum Misbehaviour: CaseIterable {
  case cut, reset, silence
  /// A Content-Length that does not match the body.
  case longer, shorter
  case refusal
  /// 304, whether it was asked or not.
  case notModified
  /// 206 without a range request.
  case part
  /// The rest of another image.
  case range
  case garbledChunks
  case coding
  /// A log-in page with an image's type.
  case page
  /// One piece for each request that arrives meanwhile.
  case drip

  func answer(_ request: TestServer.Request, _ resource: Resource, _ random: inout SeededRandom) -> TestServer.Response
  {
    let bytes = resource.bytes
    let place = Int.random(in: 0..<bytes.count, using: &random)
    let answer = resource.answer(request)
    switch self {
    case .cut: return answer.cutAfter(place)
    case .reset: return answer.resetAfter(place)
    case .silence: return .nothing
    case .longer: return answer.claiming(length: bytes.count + 1 + place)
    case .shorter: return answer.claiming(length: place)
    case .refusal: return .status([403, 404, 408, 410, 500, 502, 503].randomElement(using: &random) ?? 500)
    case .notModified: return .status(304).with("ETag", "\"1\"")
    case .part:
      return .status(206, Array(bytes[..<place]), type: "image/png")
        .with("Content-Range", "bytes 0-\(max(0, place - 1))/\(bytes.count)")
    case .range:
      var lying = resource
      let other = (0..<bytes.count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      let lies: [Resource.Lie] = [
        .start(place), .bytes(Array(other[place...])), .total(place), .contentRange(nil), .etag("\"2\""),
        .ignoringRange,
        .contentRange("bytes 0-\(place)/*"),
      ]
      lying.lie = lies.randomElement(using: &random)
      return lying.answer(request)
    case .garbledChunks: return answer.chunked([1000]).garbage(Array("zz\r\n".utf8), after: place)
    case .coding: return answer.with("Content-Encoding", "gzip")
    case .page: return .ok(TestImages.html(), type: "image/png").with("ETag", "\"1\"")
    case .drip: return answer
    }
  }
}

/// Serves images, about every third one with a fault. The answer depends on the seed, the image, and
/// how often it was requested.
final class MoodyServer: Sendable {
  let server: TestServer
  private let seed: Seed
  private let isMoody = Guarded(true)
  /// The gates of each slow answer.
  private let drips = Guarded<[[Gate]]>([])

  init(_ images: [[UInt8]], _ seed: Seed, server: TestServer) {
    self.server = server
    self.seed = seed
    for (number, image) in images.enumerated() {
      let resource = Resource(image, type: "image/png", etag: "\"1\"")
      server.on("/\(number).png") { [weak self] request in self?.answer(request, resource, number) ?? .status(500) }
    }
  }

  /// From now on all answers are correct.
  func behave() {
    isMoody.withLock { $0 = false }
    for gate in drips.withLock({ $0.joined() }) { gate.open() }
  }

  private func answer(_ request: TestServer.Request, _ resource: Resource, _ number: Int) -> TestServer.Response {
    var random = seed.random(for: number << 32 + request.ordinal)
    let next = drips.withLock { drips in
      defer { drips = drips.map { Array($0.dropFirst()) }.filter { !$0.isEmpty } }
      return drips.compactMap(\.first)
    }
    for gate in next { gate.open() }
    guard isMoody.withLock({ $0 }), Int.random(in: 0..<3, using: &random) == 0,
      let misbehaviour = Misbehaviour.allCases.randomElement(using: &random)
    else { return resource.answer(request) }
    let answer = misbehaviour.answer(request, resource, &random)
    guard misbehaviour == .drip else { return answer }
    let gates = (0..<3).map { (offset: $0 * resource.bytes.count / 4, gate: Gate()) }
    drips.withLock { $0.append(gates.map(\.gate)) }
    return answer.trickle(gates)
  }
}
