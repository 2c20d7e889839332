/// One conversation, and the body that it sends.
///
/// Belongs to the network's thread from the moment it is passed there.
final class PlaceTalk {
  fileprivate var conversation: any PlaceConversation
  /// The source of the parts that are sent, or nil if nothing is sent.
  fileprivate let source: PlaceSource?
  fileprivate let done: @Sendable (any PlaceConversation) -> Void
  /// True if the conversation counts towards the limit of conversations.
  fileprivate let isCounted: Bool
  fileprivate var request: PlaceRequest?
  fileprivate var transfer: TransferID?
  fileprivate var answer: PlaceAnswer?
  fileprivate var hasher: ContentHasher?
  /// True if only its remains still have to be removed.
  fileprivate var isCancelled = false

  fileprivate init(
    _ conversation: any PlaceConversation, _ source: PlaceSource?, isCounted: Bool,
    done: @escaping @Sendable (any PlaceConversation) -> Void
  ) {
    self.conversation = conversation
    self.source = source
    self.isCounted = isCounted
    self.done = done
  }
}

/// The conversations with places of a run. They take no place of a download: a run with one download at a time still
/// completes the uploads that it has begun.
///
/// Belongs to the network's thread.
final class PlaceTalks {
  struct Settings: Sendable {
    var userAgent: String
    var connectTimeout: Instant.Span
    var stallTimeout: Instant.Span
    /// The folder for bodies that have no file.
    var spoolFolder: String
    var identity: StoreRule
    var netrc: Netrc?
  }

  private let settings: Settings
  private let transport: any Transport
  private let clock: any Clock
  private let hooks: FetchHooks
  private let numbers: TransferNumbers
  private let isCancelled: @Sendable () -> Bool
  private var byTransfer: [UInt64: PlaceTalk] = [:]
  /// The conversations that pause before another attempt.
  private var resting = Timers<PlaceTalk>()
  private var waiting = Queue<PlaceTalk>()
  private var running = 0
  private var hasCancelled = false

  /// The most conversations at once, enough for small objects in a store that is 30 ms away.
  private static let mostRunning = 32

  init(
    _ settings: Settings, _ transport: any Transport, clock: any Clock, hooks: FetchHooks,
    numbers: TransferNumbers, isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.settings = settings
    self.transport = transport
    self.clock = clock
    self.hooks = hooks
    self.numbers = numbers
    self.isCancelled = isCancelled
  }

  /// Begins a conversation. `done` is called with its last state, on this thread.
  ///
  /// - Parameter isCounted: true if it waits until the limit allows another one. If not, its owner limits their
  ///   number.
  func converse(
    _ conversation: any PlaceConversation, sending source: PlaceSource?, isCounted: Bool = true,
    done: @escaping @Sendable (any PlaceConversation) -> Void
  ) {
    let talk = PlaceTalk(conversation, source, isCounted: isCounted, done: done)
    guard isCounted else { return carryOut(talk.conversation.begin(), talk) }
    waiting.append(talk)
    beginTalks()
  }

  private func beginTalks() {
    while running < Self.mostRunning, let talk = waiting.popFirst() {
      running += 1
      carryOut(talk.conversation.begin(), talk)
    }
  }

  private func carryOut(_ step: PlaceStep, _ talk: PlaceTalk) {
    switch step {
    case .done:
      if talk.isCounted { running -= 1 }
      talk.done(talk.conversation)
      beginTalks()
    case .send(let request, let pause):
      talk.request = request
      if isOver(talk) { return reply(.failed(.cancelled), to: talk) }
      if pause <= .seconds(0) { return send(talk) }
      resting.add(talk, at: clock.now() + pause)
    }
  }

  /// True if no further requests go out, except those that remove something.
  private func isOver(_ talk: PlaceTalk) -> Bool {
    if hasCancelled || isCancelled() { talk.isCancelled = true }
    return talk.isCancelled && talk.request?.method != "DELETE"
  }

  /// Continues the conversations whose pause is over. Returns the time to ask again, or nil if only
  /// an event can change that.
  func turn(at now: Instant) -> Instant? {
    while let talk = resting.popDue(at: now) { resume(talk) }
    return resting.nextDeadline
  }

  private func resume(_ talk: PlaceTalk) {
    if isOver(talk) { reply(.failed(.cancelled), to: talk) } else { send(talk) }
  }

  private func send(_ talk: PlaceTalk) {
    guard let wanted = talk.request else { return }
    let transfer = numbers.next()
    var request = TransferRequest(
      id: transfer, url: wanted.url.requestURL + (wanted.query.map { "?\($0)" } ?? ""),
      fields: [("User-Agent", settings.userAgent)] + wanted.fields,
      connectTimeout: wanted.connectTimeout ?? settings.connectTimeout, stallTimeout: settings.stallTimeout)
    if wanted.method != "GET" { request.method = wanted.method }
    do throws(SystemError) { request.upload = try upload(wanted.body, of: talk) } catch {
      return reply(
        .failed(FetchError(.file, wanted.url.display, "what is to be put there cannot be read: \(error.code)")),
        to: talk)
    }
    if request.upload == nil, wanted.method == "POST" { request.fields.append(("Content-Length", "0")) }
    settings.identity.identify(&request, for: wanted, netrc: settings.netrc, at: clock.wallTime())
    talk.transfer = transfer
    talk.answer = nil
    talk.hasher = wanted.isDigested ? ContentHasher() : nil
    byTransfer[transfer.number] = talk
    hooks.tellHeaders(of: wanted.url) { HeaderTrace.lines(of: request, to: wanted.url) }
    transport.start(request)
  }

  private func upload(_ body: PlaceRequest.Body, of talk: PlaceTalk) throws(SystemError) -> Upload? {
    switch body {
    case .none: return nil
    case .bytes(let bytes): return try upload(bytes)
    case .file(let start, let count):
      switch talk.source {
      case nil: return nil
      case .file(let file)?: return Upload(file: file, from: start, length: count)
      case .bytes(let bytes)?: return try upload(bytes)
      }
    }
  }

  /// The upload of up to 64 KB, which a file without a name takes in tens of microseconds.
  private func upload(_ bytes: [UInt8]) throws(SystemError) -> Upload {
    let file = SharedDescriptor(try TemporaryFile.scratch(in: settings.spoolFolder))
    try file.file.write(bytes.span, at: 0)
    return Upload(file: file, length: Int64(bytes.count))
  }

  private func reply(_ reply: PlaceReply, to talk: PlaceTalk) {
    carryOut(talk.conversation.handle(reply, random: .random(in: 0...1), now: clock.wallTime()), talk)
  }

  /// Ends all conversations, except for removals.
  func drop() {
    hasCancelled = true
    for (number, talk) in byTransfer where talk.request?.method != "DELETE" {
      byTransfer[number] = nil
      transport.cancel(TransferID(number: number))
      reply(.failed(.cancelled), to: talk)
    }
    while let talk = resting.popDue(at: Instant(nanoseconds: .max)) { resume(talk) }
  }

  // MARK: Reports of the transport

  func contains(_ id: TransferID) -> Bool { byTransfer[id.number] != nil }

  /// Takes the head of an answer. Returns nil if it does not belong to a conversation.
  func take(_ id: TransferID, _ head: ResponseHead) -> HeadDecision? {
    guard let talk = byTransfer[id.number], let request = talk.request else { return nil }
    talk.answer = PlaceAnswer(status: head.status, fields: head.fields)
    hooks.tellHeaders(of: request.url) { HeaderTrace.lines(of: head) }
    return request.method == "HEAD" ? .discard : .receive
  }

  func take(_ id: TransferID, _ bytes: [UInt8]) {
    guard let talk = byTransfer[id.number], let limit = talk.request?.keeps else { return }
    if talk.hasher != nil, talk.answer?.isSuccess == true { return talk.hasher?.update(bytes.span) ?? () }
    let room = limit - (talk.answer?.body.count ?? 0)
    talk.answer?.body += bytes.prefix(max(0, room))
    // All wanted bytes have come.
    if bytes.count > room { transport.stop(id) }
  }

  func end(_ id: TransferID, _ end: TransferEnd) {
    guard let talk = byTransfer.removeValue(forKey: id.number) else { return }
    switch (end, talk.answer) {
    case (.failed(let failure), _): reply(.failed(FetchError(failure, talk.request?.url.display ?? "")), to: talk)
    case (_, var answer?):
      answer.digest = talk.hasher?.value
      reply(.answered(answer), to: talk)
    case (_, nil): reply(.failed(.cancelled), to: talk)
    }
  }
}
