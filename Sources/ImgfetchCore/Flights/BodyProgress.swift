/// The part of a body that has arrived, and the facts that are needed to request the rest.
struct BodyProgress: Sendable {
  /// The number of bytes that are there, those from before included.
  private(set) var received: Int64 = 0
  /// The place in the whole body at which this transfer begins.
  private(set) var transferStart: Int64 = 0
  /// True if the request that is out asks for the rest only.
  private(set) var asksForRest = false
  private var known: Resumption?
  /// The head of the answer whose body is arriving, until the resumption is asked for: nearly every body arrives whole.
  private var beginning: AnswerHead?
  /// True if another run may resume the body; HTTP's own rules may forbid keeping any of it.
  private var isNotable = true

  init(_ resumption: Resumption?) { known = resumption }

  /// The record by which the current or last body can be resumed.
  var resumption: Resumption? {
    mutating get {
      guard let head = beginning else { return known }
      beginning = nil
      known = Resumption(head)
      known?.add(Int(clamping: received))
      return known
    }
    set {
      beginning = nil
      known = newValue
    }
  }

  /// Notes that a request goes out. Returns the fields that ask `url` for the rest, or nil if the whole is asked for.
  mutating func ask(_ url: WebURL) -> HeaderFields? {
    let fields = beginning == nil && known == nil ? nil : resumption?.fields(for: url)
    asksForRest = fields != nil
    return fields
  }

  enum Judgement {
    /// The rest, exactly as requested.
    case rest
    /// The body is useless, for this reason.
    case again(String)
    /// An answer like any other.
    case other
  }

  /// Judges the answer to a request for the rest. If it is useless, the attempt to resume ends.
  ///
  /// - Parameter isConditional: true if the request asks about a stored copy as well, which a 304 is then about.
  mutating func judge(_ head: AnswerHead, isConditional: Bool) -> Judgement {
    guard asksForRest, !(isConditional && head.status == 304), let range = resumption?.range else { return .other }
    switch range.decide(status: head.status, fields: head.fields, now: head.responseTime) {
    case .proceed:
      received = Int64(range.length)
      transferStart = received
      return .rest
    case .askAgain(let reason):
      resumption = nil
      return .again(reason)
    case .startOver, .unrelated: return .other
    }
  }

  /// Notes that a body begins at its first byte.
  ///
  /// - Parameter head: the head of its answer. With nil, the body is never resumed, whatever the answer says.
  mutating func begin(_ head: AnswerHead?, isNotable: Bool) {
    (received, transferStart) = (0, 0)
    known = nil
    beginning = head
    self.isNotable = isNotable
  }

  /// Notes that more of the body has come.
  mutating func take(_ count: Int) {
    received += Int64(count)
    known?.add(count)
  }

  /// True if another run could perhaps resume the current body.
  var mayBeNoted: Bool { isNotable && beginning != nil }

  /// An error if the rest ended before the body was complete: a 206 may contain less than was requested.
  func shortfall(of url: WebURL) -> FetchError? {
    guard asksForRest, let total = known?.range.total, received < Int64(total) else { return nil }
    return FetchError(
      .truncated, url.display, "the answer ended after \(received) of \(total) bytes", isTransient: true)
  }

  /// True if more bytes came for the rest of a body than were missing: then none of them can be trusted.
  var hasOverrun: Bool { asksForRest && known?.range.total.map { received > Int64($0) } == true }
}
