import TestSupport
import Testing

@testable import ImgfetchCore

/// The stage that follows each, by tables of the stages' results.
@Suite("FlightMachine: the order of the stages") struct FlightMachineTests {
  /// Names stand for what the stages make.
  private enum Named: StageProducts {
    typealias Copy = String
    typealias ClaimedPart = String
    typealias HeldPart = String
    typealias Head = String
    typealias FinalAnswer = String
  }
  private typealias Machine = FlightMachine<Named>

  private static let broken = FetchError(.timeout, "u", "silent", isTransient: true)
  private static let gone = FetchError(.http, "u", "404", status: 404)
  private static let refused = FetchError(.refused, "u", "private")

  private func name(_ step: Machine.Step) -> String {
    switch step {
    case .fail(let error): "fail: \(error.kind)"
    case .fallBack(let copy, let error): "fall back: \(copy), \(error.kind)"
    case .takeOver(let copy): "take over: \(copy)"
    case .askMirror(let mirror): "ask mirror: \(mirror.url.canonical)"
    case .wait(let part): "wait: \(part)"
    case .askRemote(let part): "ask remote: \(part)"
    case .download(let part): "download: \(part)"
    case .confirm(let head, let part): "confirm: \(head), \(part)"
    case .deliver(let answer): "deliver: \(answer)"
    default: "\(step)"
    }
  }

  private func check(
    byHTTP: Bool = false, asksRemote: Bool = false, _ row: [(Machine.Event, String)],
    at place: SourceLocation = #_sourceLocation
  ) -> Machine {
    var machine = Machine(looksUpEachHop: byHTTP, asksRemote: asksRemote)
    for (event, step) in row {
      #expect(name(machine.handle(event)) == step, "\(event)", sourceLocation: place)
    }
    return machine
  }

  @Test("An image in a cache is delivered; one that is in none is claimed, downloaded and delivered")
  func plain() {
    #expect(check([(.answered("image"), "deliver: image"), (.answered("image"), "nothing")]).state == .landed)
    _ = check([(.notFound, "claim"), (.claimed("part"), "download: part"), (.answered("image"), "deliver: image")])
    _ = check([(.failed(Self.gone), "fail: http"), (.notFound, "nothing")])
    // A part that was claimed before the look-up.
    _ = check([(.claimed("part"), "download: part"), (.answered("image"), "deliver: image")])
  }

  @Test("Stored redirects, and redirects that are looked up, lead back to the caches")
  func redirects() {
    _ = check([(.movedOn, "lookUp"), (.notFound, "claim"), (.claimed("part"), "download: part"), (.movedOn, "lookUp")])
  }

  @Test("Another process is waited for once, and what it has stored is served if it will do")
  func waiting() {
    let waiting: [(Machine.Event, String)] = [(.notFound, "claim"), (.busy("theirs"), "wait: theirs")]
    _ = check(waiting + [(.storedElsewhere("theirs"), "take over: theirs"), (.answered("image"), "deliver: image")])
    _ = check(
      waiting + [
        (.storedElsewhere("theirs"), "take over: theirs"), (.notFound, "claimAlone"),
        (.claimed("part"), "download: part"),
      ])
    _ = check(byHTTP: true, waiting + [(.storedElsewhere("theirs"), "lookUp"), (.answered("image"), "deliver: image")])
    _ = check(waiting + [(.holderIsStuck, "claimAlone"), (.claimed("part"), "download: part")])
    _ = check(waiting + [(.claimed("part"), "download: part")])
    _ = check([(.notFound, "claim"), (.stillBusy, "claimAlone"), (.claimed("part"), "download: part")])
    _ = check(
      waiting + [(.downloadFailed(.init(error: .cancelled)), "fail: cancelled"), (.claimed("part"), "nothing")])
  }

  @Test("A stored copy that the origin confirms is served; a 304 that settles nothing leads to a plain request")
  func confirming() {
    let asked: [(Machine.Event, String)] = [
      (.notFound, "claim"), (.claimed("part"), "download: part"), (.notModified("304", "lock"), "confirm: 304, lock"),
    ]
    _ = check(asked + [(.answered("image"), "deliver: image")])
    _ = check(
      asked + [
        (.settledNothing, "claimAgain"), (.claimed("part"), "download: part"), (.answered("image"), "deliver: image"),
      ])
  }

  @Test("A stale copy stands in where the origin failed, and not where it refused")
  func fallback() {
    let asked: [(Machine.Event, String)] = [(.notFound, "claim"), (.claimed("part"), "download: part")]
    func failed(_ error: FetchError) -> Machine.Event {
      .downloadFailed(.init(error: error, fallback: "stale"))
    }
    _ = check(asked + [(failed(Self.broken), "fall back: stale, timeout"), (.answered("image"), "deliver: image")])
    _ = check(asked + [(failed(Self.broken), "fall back: stale, timeout"), (.notFound, "fail: timeout")])
    _ = check(asked + [(failed(Self.gone), "fail: http")])
    _ = check(asked + [(.downloadFailed(.init(error: Self.broken)), "fail: timeout")])
  }

  @Test("Where what came is no good, the next mirror is asked; where there was no answer, the mirrors have been asked")
  func mirrors() throws {
    let other = NextHop(mirror: try WebURL("https://b.example/x"), rest: [])
    let asked: [(Machine.Event, String)] = [(.notFound, "claim"), (.claimed("part"), "download: part")]
    let useless = FetchError(.notImage, "u", "HTML")
    func failed(_ error: FetchError, mirror: NextHop?) -> Machine.Event {
      .downloadFailed(.init(error: error, fallback: "stale", mirror: mirror))
    }
    let isAsked = [(failed(useless, mirror: other), "ask mirror: https://b.example/x")]
    _ = check(asked + isAsked + [(.notFound, "claim"), (.claimed("part"), "download: part")])
    _ = check(asked + [(failed(useless, mirror: nil), "fail: notImage")])
    _ = check(asked + [(failed(Self.broken, mirror: other), "fall back: stale, timeout")])
    _ = check(asked + [(failed(.cancelled, mirror: other), "fail: cancelled")])
  }

  @Test("A place that stored redirects of unknown origin led to, and that is refused, is asked for anew once")
  func hearsay() {
    let failed = Machine.Event.downloadFailed(.init(error: Self.refused, isFromUnknownRedirect: true))
    _ = check([
      (.notFound, "claim"), (.claimed("part"), "download: part"), (failed, "lookUpAnew"), (.notFound, "claim"),
      (.claimed("part"), "download: part"), (failed, "fail: refused"),
    ])
  }

  @Test("A body of parts that do not belong together is asked for whole")
  func joining() {
    _ = check([
      (.notFound, "claim"), (.claimed("part"), "download: part"), (.joinedWrongly, "downloadAgain"),
      (.answered("image"), "deliver: image"),
      (.joinedWrongly, "nothing"),
    ])
  }

  @Test("The remote cache is asked once, between the claim and the origin, and what it has is looked up on disk")
  func remote() {
    let asked: [(Machine.Event, String)] = [(.notFound, "claim"), (.claimed("part"), "ask remote: part")]
    _ = check(asksRemote: true, asked + [(.keptFromRemote, "lookUp"), (.answered("image"), "deliver: image")])
    _ = check(asksRemote: true, asked + [(.claimed("left"), "download: left"), (.answered("image"), "deliver: image")])
    #expect(check(asksRemote: true, asked + [(.claimed("left"), "download: left")]).remote == .passedBy)
    #expect(check(asksRemote: true, asked + [(.keptFromRemote, "lookUp")]).remote == .hadEntry)
    _ = check(asksRemote: true, asked + [(.failed(Self.gone), "fail: http"), (.keptFromRemote, "nothing")])
    // Its entry is too old, and the origin is asked about that.
    _ = check(
      asksRemote: true,
      asked + [
        (.keptFromRemote, "lookUp"), (.notFound, "claim"), (.claimed("part"), "download: part"),
        (.notModified("304", "lock"), "confirm: 304, lock"),
      ])
    _ = check(
      asksRemote: true,
      [
        (.claimed("part"), "ask remote: part"), (.claimed("left"), "download: left"), (.movedOn, "lookUp"),
        (.claimed("part"), "download: part"),
      ])
  }

  /// The possible results of each step's stage.
  private static func findings(_ step: Machine.Step) -> [Machine.Event] {
    var fails: [Machine.Event] = [broken, gone, refused].flatMap { error in
      [true, false].map {
        .downloadFailed(.init(error: error, isFromUnknownRedirect: $0, fallback: $0 ? nil : "stale"))
      }
    }
    let mirror = (try? WebURL("https://b.example/x")).map { NextHop(mirror: $0, rest: []) }
    fails.append(.downloadFailed(.init(error: FetchError(.damaged, "u", "cut"), mirror: mirror)))
    return switch step {
    case .lookUp, .lookUpAnew, .askMirror: [.answered("image"), .movedOn, .notFound, .claimed("part"), .failed(gone)]
    case .claim, .claimAgain:
      [.claimed("part"), .storedElsewhere("theirs"), .busy("theirs"), .stillBusy]
    case .claimAlone: [.claimed("part")]
    case .wait:
      [.claimed("part"), .storedElsewhere("theirs"), .holderIsStuck, .downloadFailed(.init(error: .cancelled))]
    case .askRemote: [.keptFromRemote, .claimed("part"), .failed(gone)]
    case .takeOver, .fallBack: [.answered("image"), .movedOn, .notFound]
    case .download, .downloadAgain: [.answered("image"), .movedOn, .notModified("304", "lock"), .joinedWrongly] + fails
    case .confirm: [.answered("image"), .movedOn, .settledNothing, .failed(gone)]
    case .nothing, .deliver, .fail: []
    }
  }

  @Test("Whatever the stages find, each finding leads on, and there is one answer with nothing after it")
  func walk() {
    let seed = Seed()
    var random = seed.random()
    var seen: Set<String> = []
    for round in 0..<5000 {
      var machine = Machine(
        looksUpEachHop: Bool.random(using: &random), asksRemote: Bool.random(using: &random))
      var step = Machine.Step.lookUp
      var (answers, steps) = (0, 0)
      while let event = Self.findings(step).randomElement(using: &random), steps < 1000 {
        // Late news of a stage that is over changes nothing that is decided.
        if machine.state == .waiting, case .nothing = machine.handle(.notModified("304", "lock")) {}
        step = machine.handle(event)
        seen.insert(String(name(step).prefix { $0 != ":" }))
        if case .nothing = step { Issue.record("\(seed) \(round): \(event) led nowhere") }
        if case .deliver = step { answers += 1 }
        if case .fail = step { answers += 1 }
        steps += 1
      }
      #expect(answers == 1 && machine.state == .landed, "\(seed) \(round)")
      for late in Self.findings(.download("part")) + Self.findings(.claim) {
        #expect(name(machine.handle(late)) == "nothing", "\(seed) \(round)")
      }
    }
    #expect(seen.count == 15, "\(seen.sorted())")
  }
}
