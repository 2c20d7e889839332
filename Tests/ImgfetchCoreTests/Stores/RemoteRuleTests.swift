import Testing

@testable import ImgfetchCore

@Suite("What is put into a remote cache") struct RemoteRuleTests {
  private let key = CacheKey(url: "https://example.org/a.png")
  private let facts = ImageFacts(format: .png, width: 8, height: 8)

  private func obstacle(
    of key: CacheKey? = nil, status: Int = 200, _ fields: [(name: String, value: String)] = [], hasFacts: Bool = true,
    isPublic: Bool = true
  ) -> String? {
    let url = "https://example.org/a.png"
    guard let request = (try? WebURL(url)).map({ FetchRequest($0) }) else { return "no request" }
    return RemoteRule.obstacle(
      to: key ?? self.key, from: url, status: status, fields: HeaderFields(fields), facts: hasFacts ? facts : nil,
      for: request, isPublic: isPublic)
  }

  @Test("An inspected image that any user might have got")
  func allowed() {
    #expect(obstacle() == nil)
    #expect(obstacle([(name: "Cache-Control", value: "max-age=60, public")]) == nil)
    #expect(obstacle([(name: "Cache-Control", value: "no-cache")]) == nil)
  }

  @Test("Nothing that says who asked, in its key or elsewhere in the request")
  func salted() {
    #expect(obstacle(of: CacheKey(url: key.url, salt: 1)) != nil)
    #expect(obstacle(isPublic: false) != nil)
  }

  @Test(
    "Nothing whose Cache-Control forbids it, and nothing that sets a cookie",
    arguments: [
      ("Cache-Control", "private"), ("Cache-Control", "max-age=60, Private"), ("cache-control", "private=\"x-user\""),
      ("Cache-Control", "no-store"), ("Set-Cookie", "a=1"),
    ])
  func forbidden(name: String, value: String) { #expect(obstacle([(name: name, value: value)]) != nil) }

  @Test("No part, no error, no redirect, nothing that was not inspected, and no second answer of a URL")
  func unfit() {
    for status in [206, 203, 301, 404] { #expect(obstacle(status: status) != nil) }
    #expect(obstacle(hasFacts: false) != nil)
    #expect(obstacle(of: CacheKey(url: key.url, variant: 3)) != nil)
    #expect(obstacle(of: key.derived(by: 5)) != nil)
  }
}

@Suite("Whether a remote cache is worth asking") struct RemoteHealthTests {
  @Test("A store that fails is left alone, and that is reported once")
  func unusable() {
    var health = RemoteHealth(.both)
    #expect(health.noteReading(.absent) == nil && health.isRead && health.isWritten)
    #expect(health.noteReading(.unusable("refused"))?.hasPrefix("refused") == true)
    #expect(!health.isRead && !health.isWritten)
    #expect(health.noteReading(.unusable("refused")) == nil)
    #expect(health.noteWriting(.unusable("refused")) == nil)
  }

  @Test("The first wrong object costs the run's warning; three in a row mean that something else answers there")
  func wrong() {
    var health = RemoteHealth(.both)
    #expect(health.noteReading(.wrong)?.contains("damaged") == true && health.isRead && health.isWritten)
    for outcome in [RemoteHealth.Outcome.wrong, .present, .wrong, .absent, .wrong] {
      #expect(health.noteReading(outcome) == nil && health.isRead)
    }
    #expect(health.noteReading(.wrong) == nil && !health.isRead)
  }

  @Test("A store that is slow twice in a row is left alone, and that is reported once")
  func slow() {
    var health = RemoteHealth(.both)
    for isSlow in [true, false, true] {
      let news = health.noteAnswer(isSlow: isSlow)
      #expect(news == nil && health.isRead)
    }
    let news = health.noteAnswer(isSlow: true)
    #expect(news?.hasPrefix("it is slow") == true && !health.isRead && !health.isWritten)
    let more = health.noteAnswer(isSlow: true)
    #expect(more == nil)
  }

  @Test("A store that cannot be written is still read")
  func readOnly() {
    var health = RemoteHealth(.both)
    #expect(health.noteWriting(.unusable("it answers 403 Forbidden to a PUT"))?.contains("403") == true)
    #expect(health.isRead && !health.isWritten)
    #expect(health.noteWriting(.unusable("again")) == nil)
    // One warning a run: reading it fails silently then.
    #expect(health.noteReading(.unusable("it does not answer")) == nil && !health.isRead)
  }

  @Test("The mode says what it is used for")
  func modes() {
    #expect(RemoteHealth(.read).isRead && !RemoteHealth(.read).isWritten)
    #expect(!RemoteHealth(.write).isRead && RemoteHealth(.write).isWritten)
  }

  @Test("What a failed request says")
  func outcomes() {
    func outcome(_ kind: FetchError.Kind, status: Int? = nil) -> RemoteHealth.Outcome? {
      RemoteHealth.Outcome(FetchError(kind, "u", "r", status: status))
    }
    #expect(outcome(.http, status: 404) == .absent && outcome(.http, status: 410) == .absent)
    #expect(outcome(.limit) == .absent && outcome(.truncated) == .wrong)
    #expect(RemoteHealth.Outcome(ofPut: FetchError(.truncated, "u", "r")) == .unusable("r"))
    #expect(outcome(.cancelled) == nil && outcome(.file) == nil)
    for kind in [FetchError.Kind.connect, .timeout, .tls, .name, .refused] { #expect(outcome(kind) == .unusable("r")) }
    for status in [401, 403, 429, 500, 503] { #expect(outcome(.http, status: status) == .unusable("r")) }
    for status in [200, 201, 204, 412] { #expect(RemoteHealth.Outcome(statusOfPut: status) == .present) }
    #expect(RemoteHealth.Outcome(statusOfPut: 413) == .tooLarge)
    for status in [401, 403, 405, 409, 500, 507] {
      guard case .unusable = RemoteHealth.Outcome(statusOfPut: status) else { Issue.record("\(status)"); continue }
    }
  }
}

@Suite("What is still to be put into a remote cache") struct UploadQueueTests {
  private func key(_ number: Int) -> CacheKey { CacheKey(url: "https://example.org/\(number)") }

  @Test("A few are on their way at once, in order, and the rest follows")
  func order() {
    var queue = UploadQueue()
    for number in 0..<100 { queue.add(key(number)) }
    var sent: [String] = []
    while let next = queue.next() { sent.append(next.url) }
    #expect(sent.count == UploadQueue.mostRunning && !queue.isDone)
    while queue.running > 0 {
      queue.ended()
      if let next = queue.next() { sent.append(next.url) }
    }
    #expect(sent == (0..<100).map { key($0).url } && queue.isDone)
    queue.add(key(1))
    #expect(queue.next() == key(1))
  }

  @Test("It is bounded, and can be given up")
  func bound() {
    var queue = UploadQueue()
    for number in 0..<(UploadQueue.limit + 5) { queue.add(key(number)) }
    #expect(queue.next() != nil)
    queue.clear()
    #expect(queue.next() == nil && !queue.isDone)
    queue.ended()
    #expect(queue.isDone)
  }
}
