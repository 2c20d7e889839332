/// Reads a part of an object. A pure value.
struct PlaceRead: PlaceConversation {
  let url: WebURL
  let offset: Int64
  let count: Int
  /// The result, or nil until it is known. The piece is nil if there is no such object.
  private(set) var result: Result<PlacePiece?, FetchError>?
  private var attempts: PlaceAttempts

  init(_ url: WebURL, from offset: Int64, count: Int, _ rule: RetryRule) {
    self.url = url
    self.offset = offset
    self.count = max(1, count)
    attempts = PlaceAttempts(rule)
  }

  /// The number of bytes that are kept of a body that tells of an error.
  private static let errorSize = 4 << 10

  private var request: PlaceRequest {
    let last = offset.addingReportingOverflow(Int64(count - 1)).partialValue
    return PlaceRequest(url: url, fields: [("Range", "bytes=\(offset)-\(last)")], keeps: max(count, Self.errorSize))
  }

  mutating func begin() -> PlaceStep { .send(request) }

  mutating func handle(_ reply: PlaceReply, random: Double, now: WallTime) -> PlaceStep {
    switch attempts.judge(reply, random: random, now: now) {
    case .again(let pause): return .send(request, after: pause)
    case .failed(let error): result = .failure(error)
    case .answered(let answer): result = judge(answer)
    }
    return .done
  }

  private func judge(_ answer: PlaceAnswer) -> Result<PlacePiece?, FetchError> {
    switch answer.status {
    case 404, 410: return .success(nil)
    case 206:
      guard let range = answer.fields.first("Content-Range").flatMap(ContentRange.parse), let total = range.total,
        range.bytes?.lowerBound == Int(exactly: offset)
      else {
        return .failure(FetchError(.http, url.display, "the place sent another part than was asked for", status: 206))
      }
      return .success(PlacePiece(bytes: Array(answer.body.prefix(count)), total: Int64(total)))
    case 200 where offset == 0:
      guard let total = answer.fields.first("Content-Length").flatMap(Int64.init) else {
        return .failure(FetchError(.http, url.display, "the place does not say how large it is", status: 200))
      }
      return .success(PlacePiece(bytes: Array(answer.body.prefix(count)), total: total))
    case 200:
      return .failure(
        FetchError(.http, url.display, "the place sends no parts of files, which are needed (Range)", status: 200))
    case 416: return .success(PlacePiece(bytes: [], total: offset == 0 ? 0 : offset))
    default: return .failure(PlaceErrors.refusal(answer, of: "GET", url))
    }
  }
}
