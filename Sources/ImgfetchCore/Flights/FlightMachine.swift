/// Decides which stage a flight goes through next. A pure value: it is told what a stage found, and
/// returns the stage that follows.
///
/// Only this knows the order of the stages:
///
///     look up -> claim -> (wait) -> (ask remote cache) -> download -> (confirm) -> deliver
///
/// ``DownloadMachine`` does the same for the requests of the download stage. The finding of a stage is judged by the
/// rules beside it: ``CachingRules``, ``ProvenanceRule``, ``Demands``. Each event is valid in some states only. In the
/// others it changes nothing, because threads may report late.
///
/// An event brings what the stage has made, and the step hands it to the next stage. The machine does not look into it.
struct FlightMachine<Products: StageProducts>: Sendable {
  enum State: Equatable, Sendable {
    /// The caches are asked for an answer at the flight's hop.
    case lookingUp
    /// The flight claims the part for its answer. If `isAlone`, it takes a private one, even if another process holds
    /// the shared one.
    case claiming(isAlone: Bool)
    /// Another process is fetching the same image.
    case waiting
    /// An answer that another process has stored is being judged.
    case takingOver
    /// The remote cache is asked.
    case askingRemote
    /// The origin is asked. ``DownloadMachine`` has the details.
    case downloading
    /// The origin has confirmed the stored copy.
    case confirming
    /// The origin has failed. A stale copy is being judged in its place.
    case fallingBack(FetchError)
    /// The waiters have their answer.
    case landed
  }

  /// The result of a stage, with what the next one needs of it. Large payloads are indirect, so that an event costs
  /// little to pass on.
  enum Event: Sendable {
    /// The answer is ready to be delivered.
    case answered(Products.FinalAnswer)
    /// A redirect or a mirror leads to another hop.
    case movedOn
    /// No cache has an answer that will do.
    case notFound
    /// There can be no answer.
    case failed(FetchError)
    /// The part is claimed, or there is none and the answer will not be kept.
    case claimed(Products.ClaimedPart)
    /// Another process has stored an answer meanwhile.
    case storedElsewhere(Products.Copy)
    /// Another process holds the part, and is worth waiting for.
    indirect case busy(Products.HeldPart)
    /// Another process holds the part, and was waited for before.
    case stillBusy
    /// The process that was waited for makes no progress.
    case holderIsStuck
    /// The remote cache had an entry, and it is on disk now.
    case keptFromRemote
    /// The origin answered 304, with this head.
    case notModified(Products.Head, Products.ClaimedPart)
    /// The 304 settles nothing: the origin is asked again, without a condition.
    case settledNothing
    /// The body was put together from parts that do not belong together: the whole is requested.
    case joinedWrongly
    indirect case downloadFailed(Failure)
  }

  /// A failed download, with what the flight's rules say about it.
  struct Failure: Sendable {
    let error: FetchError
    /// True if stored redirects led to the URL that failed, and their own origin is not known.
    var isFromUnknownRedirect = false
    /// The stored copy that may stand in.
    var fallback: Products.Copy?
    /// The failure of the URL that the copy came from, if another URL failed last.
    var ofSource: FetchError?
    /// The next of the mirrors that have not been asked.
    var mirror: NextHop?
  }

  /// The stage that follows.
  enum Step: Sendable {
    case nothing
    case lookUp
    /// Look up without regard to stored answers.
    case lookUpAnew
    case claim
    /// Claim a private part that no other process wants.
    case claimAlone
    indirect case wait(Products.HeldPart)
    /// Judge what another process has stored.
    case takeOver(Products.Copy)
    case askRemote(Products.ClaimedPart)
    case download(Products.ClaimedPart)
    /// Claim a part to ask once more without a condition.
    case claimAgain
    /// Ask once more for the whole body, into the part that is claimed.
    case downloadAgain
    /// Judge a 304 to the question about the stored copy.
    case confirm(Products.Head, Products.ClaimedPart)
    /// Judge the stored copy, because the origin failed.
    case fallBack(Products.Copy, because: FetchError)
    /// Look up the next mirror: the received body is no good.
    indirect case askMirror(NextHop)
    case deliver(Products.FinalAnswer)
    case fail(FetchError)
  }

  /// The part of the remote cache in the flight. It is asked once, before the origin.
  enum Remote: Sendable {
    case toBeAsked
    /// The remote cache is not asked, or gave no entry.
    case passedBy
    /// The entry of the remote cache is on disk now.
    case hadEntry
  }

  private(set) var state = State.lookingUp
  /// True if each hop has an answer of its own in the caches (RFC 9111). By age, one stored image
  /// answers for the whole way.
  let looksUpEachHop: Bool
  /// True if stored answers are already passed over.
  private var isDistrusting: Bool
  private(set) var remote: Remote

  init(looksUpEachHop: Bool, isDistrusting: Bool = false, asksRemote: Bool = false) {
    self.looksUpEachHop = looksUpEachHop
    self.isDistrusting = isDistrusting
    remote = asksRemote ? .toBeAsked : .passedBy
  }

  mutating func handle(_ event: Event) -> Step {
    switch (state, event) {
    case (.landed, _): return .nothing
    case (_, .failed(let error)): return land(.fail(error))
    case (.lookingUp, .answered(let answer)), (.takingOver, .answered(let answer)),
      (.downloading, .answered(let answer)), (.confirming, .answered(let answer)),
      (.fallingBack, .answered(let answer)):
      return land(.deliver(answer))
    case (.lookingUp, .movedOn), (.takingOver, .movedOn), (.downloading, .movedOn), (.confirming, .movedOn),
      (.fallingBack, .movedOn):
      return enter(.lookingUp, .lookUp)
    case (.lookingUp, .notFound): return enter(.claiming(isAlone: false), .claim)
    case (.lookingUp, .claimed(let part)), (.claiming, .claimed(let part)), (.waiting, .claimed(let part)):
      guard remote == .toBeAsked else { return enter(.downloading, .download(part)) }
      remote = .passedBy
      return enter(.askingRemote, .askRemote(part))
    case (.askingRemote, .keptFromRemote):
      remote = .hadEntry
      return enter(.lookingUp, .lookUp)
    case (.askingRemote, .claimed(let part)): return enter(.downloading, .download(part))
    case (.claiming, .storedElsewhere(let copy)), (.waiting, .storedElsewhere(let copy)):
      return looksUpEachHop ? enter(.lookingUp, .lookUp) : enter(.takingOver, .takeOver(copy))
    case (.takingOver, .notFound): return enter(.claiming(isAlone: true), .claimAlone)
    case (.claiming(isAlone: false), .busy(let part)): return enter(.waiting, .wait(part))
    case (.claiming(isAlone: false), .stillBusy), (.waiting, .holderIsStuck):
      return enter(.claiming(isAlone: true), .claimAlone)
    case (.downloading, .notModified(let head, let part)): return enter(.confirming, .confirm(head, part))
    case (.confirming, .settledNothing): return enter(.claiming(isAlone: false), .claimAgain)
    case (.downloading, .joinedWrongly): return .downloadAgain
    case (.downloading, .downloadFailed(let failure)), (.waiting, .downloadFailed(let failure)): return fail(failure)
    case (.fallingBack(let error), .notFound): return land(.fail(error))
    default: return .nothing
    }
  }

  private mutating func fail(_ failure: Failure) -> Step {
    if failure.error.kind == .refused, failure.isFromUnknownRedirect, !isDistrusting {
      isDistrusting = true
      return enter(.lookingUp, .lookUpAnew)
    }
    // Other failures have led to the mirrors before they end the download, see ``DownloadMachine``.
    if let mirror = failure.mirror, failure.error.isOfTheBody, state == .downloading {
      return enter(.lookingUp, .askMirror(mirror))
    }
    let reason = failure.ofSource ?? failure.error
    guard let copy = failure.fallback, reason.isOfTheOrigin else { return land(.fail(failure.error)) }
    return enter(.fallingBack(failure.error), .fallBack(copy, because: reason))
  }

  private mutating func enter(_ state: State, _ step: Step) -> Step {
    self.state = state
    return step
  }

  private mutating func land(_ step: Step) -> Step { enter(.landed, step) }
}
