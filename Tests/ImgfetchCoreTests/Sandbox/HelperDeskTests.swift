import Testing

@testable import ImgfetchCore

@Suite("Who gets which helper") struct HelperDeskTests {
  private struct Helper: Identified, Equatable {
    let pid: Int32
  }

  private let kind = HelperKind(for: [])
  private let image = Instant.Span.milliseconds(10)

  /// Starts one for an origin, which must be possible.
  private func start(
    _ desk: inout HelperDesk<Helper>, _ pid: Int32, _ origin: String, takes time: Instant.Span = .milliseconds(2)
  ) -> Helper {
    guard case .new? = desk.place(for: kind, origin) else {
      Issue.record("none is started")
      return Helper(pid: 0)
    }
    _ = desk.started(Helper(pid: pid), isShut: true, after: time)
    return Helper(pid: pid)
  }

  private func idle(_ place: HelperDesk<Helper>.Place?) -> Helper? {
    if case .idle(let helper)? = place { helper } else { nil }
  }

  private func replaced(_ place: HelperDesk<Helper>.Place?) -> Helper? {
    if case .new(let other)? = place { other } else { nil }
  }

  @Test("There are as many as cores, and one origin may have all of them while it is alone")
  func alone() {
    var desk = HelperDesk<Helper>(limit: 2)
    let one = start(&desk, 1, "a")
    _ = start(&desk, 2, "a")
    #expect(desk.place(for: kind, "a") == nil)
    _ = desk.release(one, kind, "a", after: image)
    #expect(idle(desk.place(for: kind, "a")) == one)
  }

  @Test("Where the system allows no more, images wait for the helpers that there are, and none without any")
  func scarce() {
    var desk = HelperDesk<Helper>(limit: 4)
    func waits(_ origin: String, isScarce: Bool) -> Bool {
      #expect(desk.place(for: kind, origin) != nil, "one is to be started")
      return desk.failed(origin, isScarce: isScarce)
    }
    let isWaitingForNone = waits("a", isScarce: true)
    let one = start(&desk, 1, "a")
    let isWaitingWithoutNeed = waits("b", isScarce: false)
    let isWaiting = waits("b", isScarce: true)
    #expect(!isWaitingForNone && !isWaitingWithoutNeed && isWaiting)
    #expect(desk.place(for: kind, "b") == nil)
    _ = desk.release(one, kind, "a", after: image)
    #expect(desk.place(for: kind, "b") != nil)
  }

  @Test("While images of others wait, one origin has half of them")
  func fairness() {
    var desk = HelperDesk<Helper>(limit: 4)
    let all = (1...4).map { start(&desk, Int32($0), "a") }
    desk.queue("a")
    desk.queue("b")
    #expect(desk.place(for: kind, "b") == nil)
    _ = desk.release(all[0], kind, "a", after: image)
    #expect(desk.place(for: kind, "a") == nil, "it has three of four")
    #expect(desk.place(for: kind, "b") != nil)
    desk.unqueue("b")
    _ = desk.release(all[1], kind, "a", after: image)
    #expect(idle(desk.place(for: kind, "a")) == all[1], "no other image waits")
  }

  @Test("One that has seen an image is ended before another origin's, while that costs little")
  func startedAnew() {
    var desk = HelperDesk<Helper>(limit: 1)
    let one = start(&desk, 1, "a")
    _ = desk.release(one, kind, "a", after: .milliseconds(100))
    #expect(idle(desk.place(for: kind, "a")) == one)
    _ = desk.release(one, kind, "a", after: .milliseconds(100))
    #expect(replaced(desk.place(for: kind, "b")) == one)
  }

  @Test("Where starts take over 3 % of the time, it serves 64 images of several origins")
  func seldom() {
    var desk = HelperDesk<Helper>(limit: 1)
    let one = start(&desk, 1, "0")
    _ = desk.release(one, kind, "0", after: .milliseconds(1))
    for number in 1..<64 {
      #expect(idle(desk.place(for: kind, "\(number)")) == one, "\(number)")
      _ = desk.release(one, kind, "\(number)", after: .milliseconds(1))
    }
    #expect(replaced(desk.place(for: kind, "63")) == one, "whosever the next one is")
  }

  @Test("One origin's images never cost a start")
  func oneOrigin() {
    var desk = HelperDesk<Helper>(limit: 1)
    let one = start(&desk, 1, "a", takes: .seconds(1))
    _ = desk.release(one, kind, "a", after: image)
    for _ in 0..<200 {
      #expect(idle(desk.place(for: kind, "a")) == one)
      _ = desk.release(one, kind, "a", after: image)
    }
  }

  @Test("Once it has stopped it gives none, and tells which are at work")
  func stopping() {
    var desk = HelperDesk<Helper>(limit: 2)
    let one = start(&desk, 1, "a")
    let other = start(&desk, 2, "b")
    _ = desk.release(other, kind, "b", after: image)
    #expect(desk.stop() == [one])
    guard case .stopped? = desk.place(for: kind, "a") else {
      Issue.record("it gives one")
      return
    }
  }

  @Test("An image has ten seconds, and a tenth for each million pixels; a drawing ten")
  func time() {
    #expect(DecodingTime(ImageFacts(format: .png, width: 10, height: 10)).processor == 10)
    #expect(DecodingTime(ImageFacts(format: .png, width: 10_000, height: 10_000)).processor == 20)
    #expect(DecodingTime(ImageFacts(format: .gif, width: 10_000, height: 1000, frames: 10)).processor == 20)
    #expect(DecodingTime(ImageFacts(format: .svg, width: 10_000, height: 10_000)).processor == 10)
    #expect(DecodingTime(ImageFacts(format: .png, width: 10, height: 10)).wall == 40)
    #expect(DecodingTime(ImageFacts(format: .png, width: .max, height: .max, frames: .max)).processor > 10)
  }
}
