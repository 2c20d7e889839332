import Foundation
import ImgfetchCore

/// Requests on their way: cancelled by the thousand, lent priorities, asked again, held up, and stopped by the clock.
enum Flying {
  static let checks: [(name: String, run: @Sendable () async throws -> Void)] = [
    ("thousands that are cancelled", manyCancelled), ("a priority that is lent", lending),
    ("a failure that is forgotten", forgetting), ("refreshing each time", refreshing),
    ("a cached image first and the new one later", storedFirst), ("suspending", suspending),
    ("limits that change", limits), ("a deadline for one request", timeLimit),
    ("lists that are prefetched", prefetching), ("events from the head to the end", events),
  ]

  static func url(_ name: String) -> String { "http://pictures.test/\(name).gif" }

  /// Takes the same time for each, whether there are four thousand or ten times as many.
  @Sendable static func manyCancelled() async throws {
    let blocker = url("blocker")
    var times: [Int: Double] = [:]
    for count in [4000, 40_000] {
      let table = AnswerTable { request in
        let answer = AnswerTable.Answer(body: tinyGIF())
        return request.url == blocker ? answer.held : answer
      }
      var configuration = Fetcher.Configuration()
      configuration.jobs = 1
      let fetcher = Fetcher(configuration, answers: table)
      let (answered, images) = (Locked(0), Locked(0))
      let requests = try (0..<count).map { try FetchRequest(url: url("\($0)"), tag: $0) }
      fetcher.submit(try FetchRequest(url: blocker)) { _ in }
      let numbers = requests.map { request in
        fetcher.submit(request) { result in
          answered.with { $0 += 1 }
          if result.error?.kind != .cancelled { images.with { $0 += 1 } }
        }
      }.shuffled()
      let begin = ContinuousClock.now
      for number in numbers { fetcher.cancel(number) }
      times[count] = (ContinuousClock.now - begin) / .microseconds(count)
      table.release(blocker)
      fetcher.wait()
      try check(answered.with { $0 } == count && images.with { $0 } == 0, "\(images.with { $0 }) of \(count) succeeded")
      try check(table.requests == [blocker], "\(table.requests.count) requests")
      await fetcher.close()
    }
    let (few, many) = (times[4000] ?? 0, times[40_000] ?? 0)
    print("cancelling: \(few) µs each of 4,000, \(many) µs each of 40,000")
    // A tenth of what a search through all would take; machines that build beside this are slow now and then.
    try check(many < 5 * few + 20, "\(few) µs each of 4,000, \(many) of 40,000")
  }

  @Sendable static func lending() async throws {
    let table = AnswerTable { request in
      let answer = AnswerTable.Answer(body: tinyGIF())
      return request.url == url("held") ? answer.held : answer
    }
    var configuration = Fetcher.Configuration()
    configuration.jobs = 1
    // All that is asked for has been looked for by the time that the last one has.
    let lookedUp = Locked<Set<String>>([])
    var hooks = FetchHooks()
    hooks.mayDownload = { request in
      lookedUp.with { _ = $0.insert(request.url.display) }
      return true
    }
    let fetcher = Fetcher(configuration, hooks: hooks, answers: table)
    func submit(_ name: String, _ priority: FetchRequest.Priority = .normal) throws -> UInt64 {
      var request = try FetchRequest(url: url(name))
      request.priority = priority
      return fetcher.submit(request) { _ in }
    }
    _ = try submit("held")
    fetcher.kick()
    // It has the one place from now on.
    while table.requests.isEmpty { await Task.yield() }
    for name in ["a", "b", "c", "d"] { _ = try submit(name) }
    fetcher.kick()
    while lookedUp.with({ $0.count }) < 5 { await Task.yield() }
    _ = try submit("d", .high)
    let gone = try submit("c", .high)
    fetcher.cancel(gone)
    fetcher.setPriority(.low, of: try submit("e"))
    while lookedUp.with({ $0.count }) < 6 { await Task.yield() }
    table.release(url("held"))
    fetcher.wait()
    try check(table.requests == ["held", "d", "a", "b", "c", "e"].map(url), "\(table.requests)")
    await fetcher.close()
  }

  @Sendable static func forgetting() async throws {
    let table = AnswerTable()
    var configuration = Fetcher.Configuration()
    configuration.failureAge = .milliseconds(1)
    let fetcher = Fetcher(configuration, answers: table)
    let request = try FetchRequest(url: url("late"))
    try check(await fetcher.answer(to: request).error?.status == 404, "not gone")
    table[url("late")] = .init(body: tinyGIF())
    // It is forgotten within a millisecond, and asked for again then.
    var image = await fetcher.answer(to: request)
    while image.error != nil { image = await fetcher.answer(to: request) }
    try check(table.requests.count == 2, "asked for \(table.requests.count) times")
    await fetcher.close()
    let patient = Fetcher(answers: AnswerTable())
    for _ in 0..<2 { try check(await patient.answer(to: request).error?.status == 404, "not gone") }
    await patient.close()
  }

  @Sendable static func refreshing() async throws {
    let table = AnswerTable([url("a"): .init(body: tinyGIF(1))])
    let fetcher = Fetcher(answers: table)
    for (number, policy) in [(1, CachePolicy.refresh), (2, .refresh), (3, .reload), (4, .reload)] {
      table[url("a")] = .init(body: tinyGIF(number))
      var request = try FetchRequest(url: url("a"))
      request.options.policy = policy
      try check(try await fetcher.image(for: request).bytes == tinyGIF(number), "the image before \(number)")
    }
    try check(table.requests.count == 4, "\(table.requests)")
    await fetcher.close()
  }

  @Sendable static func storedFirst() async throws {
    try await withFolder { folder in
      let table = AnswerTable([url("a"): .init(fields: [("ETag", "\"1\"")], body: tinyGIF(1))])
      for isOnDisk in [true, false] {
        var configuration = Fetcher.Configuration()
        configuration.cacheFolder = isOnDisk ? folder : nil
        let counters = FetchCounters()
        var hooks = FetchHooks()
        hooks.answered = { counters.count($0) }
        let fetcher = Fetcher(configuration, hooks: hooks, answers: table)
        table[url("a")] = .init(fields: [("ETag", "\"1\"")], body: tinyGIF(1))
        var request = try FetchRequest(url: url("a"))
        request.options.policy = .refresh
        let asking = request
        func events() async throws -> [(isStored: Bool, bytes: [UInt8])] {
          var seen: [(Bool, [UInt8])] = []
          for await event in fetcher.events(for: asking) {
            switch event {
            case .stored(let image): seen.append((true, image.bytes))
            case .done(let image): seen.append((false, try image.get().bytes))
            case .underway, .partial: break
            }
          }
          return seen
        }
        let first = try await events()
        try check(first.map(\.isStored) == [false], "\(first) where nothing is stored")
        table[url("a")] = .init(fields: [("ETag", "\"2\"")], body: tinyGIF(2))
        let second = try await events()
        try check(second.map(\.isStored) == [true, false], "\(second.map(\.isStored))")
        try check(second.map(\.bytes) == [tinyGIF(1), tinyGIF(2)], "other images")
        try check(counters.values.downloads == 2 && counters.values.diskHits == 0, "\(counters.values)")
        try await fetcher.diskCache?.clear()
        await fetcher.close()
      }
    }
  }

  @Sendable static func suspending() async throws {
    let table = AnswerTable([url("a"): .init(body: tinyGIF()), url("b"): .init(body: tinyGIF(1))])
    let fetcher = Fetcher(answers: table)
    _ = try await fetcher.image(for: url("a"))
    fetcher.suspend()
    try check(fetcher.isSuspended, "not suspended")
    let waiting = Task { try await fetcher.image(for: url("b")) }
    try check(try await fetcher.image(for: url("a")).cache == .memory, "caches are suspended, too")
    while fetcher.load.flights == 0 { await Task.yield() }
    try check(table.requests == [url("a")], "\(table.requests)")
    fetcher.resume()
    try check(try await waiting.value.bytes == tinyGIF(1), "another image")
    await fetcher.close()
  }

  @Sendable static func limits() async throws {
    let table = AnswerTable { _ in AnswerTable.Answer(body: tinyGIF()).held }
    var configuration = Fetcher.Configuration()
    configuration.jobs = 1
    let fetcher = Fetcher(configuration, answers: table)
    for number in 0..<12 { fetcher.submit(try FetchRequest(url: url("\(number)"))) { _ in } }
    fetcher.kick()
    while table.requests.isEmpty { await Task.yield() }
    try check(table.requests.count == 1 && fetcher.limits.jobs == 1, "\(table.requests)")
    fetcher.limits.bytesPerSecond = 1 << 20
    // Half of all places are for origins that have not answered yet, six for one origin, or the given number.
    for (jobs, perHost, most) in [(8, nil, 4), (20, nil, 6), (20, 9, 9)] as [(Int, Int?, Int)] {
      fetcher.limits.jobs = jobs
      fetcher.limits.perHost = perHost
      while table.requests.count < most { await Task.yield() }
      try check(table.requests.count == most, "\(table.requests.count) where \(most) may be")
    }
    for number in 0..<12 { table.release(url("\(number)")) }
    fetcher.wait()
    await fetcher.close()
  }

  @Sendable static func timeLimit() async throws {
    let table = AnswerTable([url("slow"): AnswerTable.Answer(body: tinyGIF()).held])
    let fetcher = Fetcher(answers: table)
    let patient = Task { try await fetcher.image(for: url("slow")) }
    while table.requests.isEmpty { await Task.yield() }
    var hurried = try FetchRequest(url: url("slow"))
    hurried.timeLimit = .milliseconds(20)
    let error = await fetcher.answer(to: hurried).error
    try check(error?.kind == .timeout && error?.remedy == .allowMoreTime, "\(String(describing: error))")
    table.release(url("slow"))
    try check(try await patient.value.bytes == tinyGIF(), "ended for all")
    // One that leads its download, and one that is answered from memory.
    table[url("slower")] = AnswerTable.Answer(body: tinyGIF()).held
    var first = try FetchRequest(url: url("slower"))
    first.timeLimit = .milliseconds(20)
    try check(await fetcher.answer(to: first).error?.kind == .timeout, "no limit for the first")
    try check(await fetcher.answer(to: hurried).error == nil, "a limit for what is there")
    await fetcher.close()
  }

  @Sendable static func prefetching() async throws {
    let (running, most) = (Locked(0), Locked(0))
    let table = AnswerTable { request in
      request.url == url("5") ? nil : AnswerTable.Answer(body: tinyGIF()).delayed(by: .milliseconds(1))
    }
    var hooks = FetchHooks()
    hooks.events = { event in
      switch event {
      case .started:
        let now = running.with { running in
          running += 1
          return running
        }
        most.with { $0 = max($0, now) }
      case .ended: running.with { $0 -= 1 }
      default: break
      }
    }
    let fetcher = Fetcher(hooks: hooks, answers: table)
    let counts = Locked<[PrefetchCount]>([])
    let requests = try (0..<30).map { try FetchRequest(url: url("\($0)")) }
    let count = await fetcher.prefetch(requests) { count in counts.with { $0.append(count) } }
    try check(count == PrefetchCount(finished: 30, skipped: 1), "\(count)")
    try check(counts.with { $0.map(\.finished).sorted() } == Array(1...30), "\(counts.with { $0 })")
    try check(most.with { $0 } <= 3, "\(most.with { $0 }) at once")
    try check(fetcher.memoryCache.contains(requests[0]), "not kept")
    try check(await fetcher.prefetch([]) == PrefetchCount(), "a count of nothing")
    // A list that is given up counts its finished requests.
    let held = AnswerTable { _ in AnswerTable.Answer(body: tinyGIF()).held }
    let other = Fetcher(answers: held)
    let task = Task { await other.prefetch(requests, atOnce: 2) }
    while held.requests.count < 2 { await Task.yield() }
    task.cancel()
    let givenUp = await task.value
    try check(givenUp == PrefetchCount(finished: 2, skipped: 2), "\(givenUp)")
    for fetcher in [fetcher, other] { await fetcher.close() }
  }

  @Sendable static func events() async throws {
    let fetcher = Fetcher(answers: AnswerTable([url("a"): .init(body: tinyGIF())]))
    var told: [String] = []
    for await event in fetcher.events(for: try FetchRequest(url: url("a"))) {
      switch event {
      case .underway(.progressed(_, let of, let received, let total)):
        told.append("\(received) of \(total ?? -1) \(of)")
      case .underway(.ended): told.append("ended")
      case .done: told.append("done")
      default: break
      }
    }
    let size = tinyGIF().count
    let expected = ["0 of \(size) \(url("a"))", "\(size) of \(size) \(url("a"))", "ended", "done"]
    try check(told == expected, "\(told)")
    await fetcher.close()
  }
}
