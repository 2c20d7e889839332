import TestSupport
import Testing

@testable import ImgfetchCore

/// The steps of a flight on the network, by tables of events and results.
@Suite("DownloadMachine: a flight on the network") struct DownloadMachineTests {
  /// The events of a machine.
  enum Told {
    case begin, send, cancel, refuse
    case answer(Int, [(String, String)] = [])
    case digest
    case bytes(Int)
    case complete, stopped, broken, impossible
  }

  /// A flight whose owner writes down what the machine says.
  struct Driven {
    var machine: DownloadMachine
    var now = Instant(nanoseconds: 1_000_000_000)

    init(_ change: (inout DownloadStart) -> Void = { _ in }) throws {
      let request = FetchRequest(try WebURL("http://a.example/1.png"), options: FetchOptions())
      var start = DownloadStart(request.url, request.shared, at: request.url, mirrors: [])
      change(&start)
      machine = DownloadMachine(start)
    }

    mutating func tell(_ told: Told) -> String {
      switch told {
      case .begin: return step(machine.begin())
      case .send: return machine.send(at: now, WallTime(seconds: 1)) == nil ? "whole" : "rest"
      case .cancel: return "\(machine.cancel(because: FetchError.cancelled))"
      case .refuse: return "\(machine.refuse())"
      case .answer(let status, let fields): return answer(status, fields)
      case .digest: return answer(401, [], wantsDigest: true)
      case .bytes(let count):
        machine.body.take(count)
        machine.downloaded += Int64(count)
        return "\(machine.body.received)"
      case .complete: return step(machine.end(.complete, random: 1, at: now))
      case .stopped: return step(machine.end(.stopped, random: 1, at: now))
      case .broken:
        let error = FetchError(.truncated, "", "cut", isTransient: true)
        return step(machine.end(.failed(error), random: 1, at: now))
      case .impossible:
        return step(machine.end(.failed(FetchError(.tls, "", "untrusted")), random: 1, at: now))
      }
    }

    private mutating func answer(
      _ status: Int, _ fields: [(String, String)], wantsDigest: Bool = false
    ) -> String {
      let fields = HeaderFields(fields.map { (name: $0.0, value: $0.1) })
      let head = AnswerHead(
        url: machine.trail.url, status: status, fields: fields,
        contentLength: fields.first("Content-Length").flatMap { Int64($0) }, requestTime: machine.requestTime,
        responseTime: WallTime(seconds: 2))
      let reply = machine.answer(head, isPublic: false, wantsDigest: wantsDigest)
      return switch reply.body {
      case .begin(let isNotable): isNotable ? "begins, notable" : "begins"
      case .resume: "goes on at \(reply.already) of \(reply.total ?? -1)"
      case .keepAside: "kept aside"
      case .discard: reply.busy == nil ? "discarded" : "discarded, busy"
      }
    }

    /// The result of a step, in words that are made after it.
    private mutating func step(_ step: DownloadMachine.Step) -> String {
      let place = machine.trail.url.host + machine.trail.url.path
      return switch step {
      case .nothing: "nothing"
      case .enqueue(nil): "in line at \(place)"
      case .enqueue(let moment?): "in line in \((moment - now).milliseconds) ms at \(place)"
      case .lookUp(let hop): "looks up \(hop.url.host + hop.url.path) after \(hop.hops)"
      case .confirm: "confirmed"
      case .finishBody: "finished"
      case .fail(let error): "fails: \(error.kind)"
      }
    }
  }

  private static let line = "in line at a.example/1.png"
  private static let versioned = [("ETag", "\"1\""), ("Content-Length", "100")]

  private func check(
    _ row: [(Told, String)], _ comment: Comment? = nil, _ change: (inout DownloadStart) -> Void = { _ in }
  ) throws -> DownloadMachine {
    var driven = try Driven(change)
    for (told, said) in row { #expect(driven.tell(told) == said, comment ?? "\(told)") }
    return driven.machine
  }

  @Test("A body comes whole")
  func whole() throws {
    let machine = try check([
      (.begin, Self.line), (.send, "whole"), (.answer(200), "begins, notable"), (.bytes(7), "7"),
      (.complete, "finished"), (.complete, "nothing"), (.cancel, "nothing"),
    ])
    #expect(machine.traffic.attempts == 1 && machine.traffic.downloaded == 7 && machine.status == 200)
  }

  @Test("The pace of an origin that has too many requests lengthens the pause of a retry, and never shortens it")
  func pace() throws {
    var driven = try Driven()
    for told in [Told.begin, .send, .answer(429)] { _ = driven.tell(told) }
    driven.machine.hold(until: driven.now + .milliseconds(100))
    #expect(driven.tell(.complete) == "in line in 500 ms at a.example/1.png")
    for told in [Told.send, .answer(503)] { _ = driven.tell(told) }
    driven.machine.hold(until: driven.now + .milliseconds(3000))
    #expect(driven.tell(.complete) == "in line in 3000 ms at a.example/1.png")
  }

  @Test("What passes is tried again after a pause, and what does not pass is not")
  func retries() throws {
    let machine = try check([
      (.begin, Self.line), (.send, "whole"), (.answer(503), "discarded, busy"),
      (.complete, "in line in 500 ms at a.example/1.png"), (.send, "whole"),
      (.broken, "in line in 1000 ms at a.example/1.png"),
      (.send, "whole"), (.answer(500), "discarded"), (.complete, "fails: http"),
    ])
    #expect(machine.traffic.attempts == 3 && machine.attempts.refusals == 1)
    _ = try check([(.begin, Self.line), (.send, "whole"), (.answer(404), "discarded"), (.complete, "fails: http")])
    _ = try check([(.begin, Self.line), (.send, "whole"), (.impossible, "fails: tls")])
    _ = try check([
      (.begin, Self.line), (.send, "whole"), (.answer(503, [("Retry-After", "7")]), "discarded, busy"),
      (.complete, "in line in 7000 ms at a.example/1.png"),
    ])
    _ = try check([
      (.begin, Self.line), (.send, "whole"), (.answer(503, [("Retry-After", "90")]), "discarded, busy"),
      (.complete, "fails: http"),
    ])
  }

  @Test(
    "Redirects are followed at once where one stored image stands for the way, and looked up where each place has its own"
  )
  func redirects() throws {
    let moved = Told.answer(302, [("Location", "/2.png")])
    let machine = try check([
      (.begin, Self.line), (.send, "whole"), (moved, "discarded"), (.complete, "in line at a.example/2.png"),
      (.send, "whole"), (.answer(200), "begins, notable"), (.broken, "in line in 500 ms at a.example/1.png"),
    ])
    #expect(machine.traffic.attempts == 1 && machine.trail.hops == 0)
    _ = try check([
      (.begin, Self.line), (.send, "whole"), (moved, "kept aside"), (.complete, "looks up a.example/2.png after 1"),
    ]) {
      $0.caching = .byHTTP(
        .init(directives: RequestDirectives(), keepsAnswers: true, mayServeStale: false, prefersStale: false))
    }
    _ = try check([
      (.begin, Self.line), (.send, "whole"), (.answer(302, [("Location", "ftp://a.example/")]), "discarded"),
      (.complete, "fails: refused"),
    ])
  }

  @Test("A mirror follows when an attempt is given up, and is itself tried again")
  func mirrors() throws {
    let mirror = try WebURL("http://m.example/1.png")
    let machine = try check([
      (.begin, Self.line), (.send, "whole"), (.impossible, "in line at m.example/1.png"), (.send, "whole"),
      (.broken, "in line in 500 ms at m.example/1.png"), (.send, "whole"), (.answer(200, Self.versioned), "begins"),
      (.complete, "finished"),
    ]) { $0.mirrors = [mirror] }
    #expect(machine.traffic.attempts == 3)
    _ = try check([
      (.begin, Self.line), (.send, "whole"), (.impossible, "looks up m.example/1.png after 0"),
    ]) {
      $0.mirrors = [mirror]
      $0.caching = .byHTTP(
        .init(directives: RequestDirectives(), keepsAnswers: true, mayServeStale: false, prefersStale: false))
    }
  }

  @Test("A body that broke off is gone on with where it ended, and joined with nothing that is not its rest")
  func resuming() throws {
    let broken: [(Told, String)] = [
      (.begin, Self.line), (.send, "whole"), (.answer(200, Self.versioned), "begins, notable"), (.bytes(40), "40"),
      (.broken, "in line in 500 ms at a.example/1.png"), (.send, "rest"),
    ]
    func rest(_ range: String, _ tag: String = "\"1\"") -> Told {
      .answer(206, [("ETag", tag), ("Content-Range", range)])
    }
    let machine = try check(
      broken + [
        (rest("bytes 40-99/100"), "goes on at 40 of -1"), (.bytes(60), "100"), (.complete, "finished"),
      ])
    #expect(machine.traffic.downloaded == 100 && machine.traffic.attempts == 2)
    _ = try check(
      broken + [
        (rest("bytes 40-99/100"), "goes on at 40 of -1"), (.bytes(10), "50"),
        (.complete, "in line in 1000 ms at a.example/1.png"),
      ])
    _ = try check(
      broken + [
        (rest("bytes 40-99/100"), "goes on at 40 of -1"), (.bytes(90), "130"), (.complete, Self.line), (.send, "whole"),
      ])
    // An answer of no use is no failure: the whole is asked for at once.
    let again = try check(
      broken + [(rest("bytes 40-99/100", "\"2\""), "discarded"), (.complete, Self.line), (.send, "whole")])
    #expect(again.attempts.repeats == 1)
    _ = try check(
      broken + [(.answer(200, Self.versioned), "begins, notable"), (.bytes(100), "100"), (.complete, "finished")])
  }

  @Test("A stored copy that is still right is confirmed")
  func conditions() throws {
    _ = try check([(.begin, Self.line), (.send, "whole"), (.answer(304), "discarded"), (.complete, "confirmed")]) {
      $0.asksConditionally = true
    }
    _ = try check([(.begin, Self.line), (.send, "whole"), (.answer(304), "discarded"), (.complete, "fails: http")])
  }

  @Test("A challenge is answered once more, which is no failure")
  func challenges() throws {
    let machine = try check([
      (.begin, Self.line), (.send, "whole"), (.digest, "discarded"), (.complete, Self.line), (.send, "whole"),
      (.answer(503), "discarded, busy"), (.complete, "in line in 500 ms at a.example/1.png"),
    ])
    #expect(machine.attempts.repeats == 1)
  }

  @Test("Breaking off in each state")
  func breaking() throws {
    let asked: [(Told, String)] = [(.begin, Self.line), (.send, "whole")]
    let receiving = asked + [(.answer(200), "begins, notable")]
    _ = try check([(.begin, Self.line), (.cancel, "leaveLine"), (.cancel, "nothing")])
    _ = try check(asked + [(.cancel, "dropTransfer"), (.complete, "nothing")])
    _ = try check(asked + [(.answer(404), "discarded"), (.cancel, "dropTransfer")])
    _ = try check(
      receiving + [(.cancel, "stopTransfer"), (.cancel, "nothing"), (.bytes(3), "3"), (.stopped, "fails: cancelled")])
    _ = try check(receiving + [(.refuse, "stopTransfer"), (.cancel, "nothing"), (.stopped, "nothing")])
    // The refusal has ended the flight.
    _ = try check(
      receiving + [(.cancel, "stopTransfer"), (.refuse, "nothing"), (.stopped, "nothing"), (.refuse, "nothing")])
    // The body was refused while its flight was about to begin again.
    _ = try check(
      receiving + [(.broken, "in line in 500 ms at a.example/1.png"), (.refuse, "leaveLine"), (.begin, Self.line)])
    _ = try check(asked + [(.stopped, "in line in 500 ms at a.example/1.png")], "an answer without a head")
  }

  @Test(
    "Validators are for the URL that gave them, but for what the key ignores",
    arguments: [
      ("http://a.example/1", "http://a.example/1", KeyFilter.none, true),
      ("http://a.example/1", "http://A.example:80/%31", .none, true),
      ("http://a.example/1", "http://b.example/1", .none, false),
      ("http://a.example/1?t=1", "http://a.example/1?t=2", .none, false),
      ("http://a.example/1?t=1", "http://a.example/1?t=2", KeyFilter(ignoredParameters: ["t"]), true),
      ("http://a.example/1?t=1", "http://a.example/1?t=2", KeyFilter(replacement: "cat"), true),
      ("http://a.example/1", "http://b.example/1", KeyFilter(replacement: "cat"), false),
    ])
  func validators(stored: String, asked: String, filter: KeyFilter, isSame: Bool) throws {
    let url = try WebURL(asked)
    let resource = ValidatedResource(finalURL: stored, key: filter.key(for: url), filter: filter)
    #expect(resource.isAt(url) == isSame)
    // A program's own rule for keys gives no filter.
    if filter.replacement != nil {
      #expect(ValidatedResource(finalURL: stored, key: filter.key(for: url), filter: .none).isAt(url) == isSame)
    }
  }

  @Test("Hosts that are refused are not asked, wherever the way leads there")
  func hosts() throws {
    var options = FetchOptions()
    options.deniedHosts = ["b.example"]
    var request = FetchRequest(try WebURL("http://a.example/1.png"), options: options)
    request.mirrors = [try WebURL("http://b.example/1.png")]
    var driven = try Driven {
      $0 = DownloadStart(request.url, request.shared, at: request.url, mirrors: request.mirrors[...])
    }
    _ = driven.tell(.begin)
    _ = driven.tell(.send)
    #expect(driven.tell(.answer(302, [("Location", "http://b.example/2.png")])) == "discarded")
    #expect(driven.tell(.complete) == "fails: refused")
  }

  @Test("Whatever it is told, in whatever order: one request at a time, one end, and nothing after it")
  func walk() throws {
    let seed = Seed()
    var random = seed.random()
    let mirror = try WebURL("http://m.example/1.png")
    for round in 0..<3000 {
      var driven = try Driven { start in
        if Bool.random(using: &random) { start.mirrors = [mirror] }
        start.asksConditionally = Bool.random(using: &random)
        if Bool.random(using: &random) {
          start.caching = .byHTTP(
            .init(directives: RequestDirectives(), keepsAnswers: true, mayServeStale: true, prefersStale: false))
        }
      }
      var (isInLine, isOut, ends, steps) = (driven.tell(.begin).hasPrefix("in line"), false, 0, 0)
      var isStopping = false
      while (isInLine || isOut) && steps < 200 {
        steps += 1
        // An end must come at last, whatever is told before.
        var told = Self.told(isOut: isOut, &random)
        if isOut, steps > 150 { told = .impossible }
        let said = driven.tell(told)
        switch told {
        case .send: (isInLine, isOut) = (false, true)
        case .complete, .stopped, .broken, .impossible:
          isOut = false
          isInLine = said.hasPrefix("in line")
          if !isInLine, said != "nothing" { ends += 1 }
        case .cancel, .refuse:
          #expect(said != "leaveLine" || !isOut, "\(seed) \(round)")
          if said == "leaveLine" || said == "dropTransfer" { (isInLine, isOut, ends) = (false, false, ends + 1) }
          if case .refuse = told {
            if said == "stopTransfer" || isStopping { ends += 1 }
            isStopping = false
          } else if said == "stopTransfer" {
            isStopping = true
          }
        default: break
        }
        #expect(!(isInLine && isOut) && ends <= 1, "\(seed) \(round): \(told)")
      }
      #expect(ends == 1, "\(seed) \(round)")
      for late in [Told.complete, .stopped, .broken] { #expect(driven.tell(late) == "nothing", "\(seed) \(round)") }
      for late in [Told.cancel, .refuse] { #expect(driven.tell(late) == "nothing", "\(seed) \(round)") }
    }
  }

  private static func told(isOut: Bool, _ random: inout SeededRandom) -> Told {
    if !isOut { return [Told.send, .send, .send, .cancel, .refuse].randomElement(using: &random) ?? .send }
    return [
      Told.answer(200, versioned), .answer(206, [("ETag", "\"1\""), ("Content-Range", "bytes 40-99/100")]),
      .answer(304),
      .answer(302, [("Location", "/2.png")]), .answer(404), .answer(503), .digest, .bytes(40), .complete, .stopped,
      .broken,
      .impossible, .cancel, .refuse,
    ].randomElement(using: &random) ?? .complete
  }
}
