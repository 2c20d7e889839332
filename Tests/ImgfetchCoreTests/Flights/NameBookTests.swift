import Testing

@testable import ImgfetchCore

@Suite("NameBook: which names are looked up, and who waits for them") struct NameBookTests {
  private let start = Instant(nanoseconds: 0)
  private func at(_ seconds: Double) -> Instant { start + .seconds(seconds) }

  private func book(prompt: Int = 2, slow: Int = 1) -> NameBook {
    var limits = NameBook.Limits()
    limits.prompt = prompt
    limits.slow = slow
    return NameBook(limits)
  }

  @Test("A name is looked up once for all who wait, and is good for a minute")
  func once() {
    var book = book()
    #expect(book.ask("a", for: 1, at: at(0)) == .wait)
    #expect(book.turn(at: at(0)).begin == ["a"])
    #expect(book.ask("a", for: 2, at: at(0.01)) == .wait)
    #expect(book.turn(at: at(0.01)).begin == [])
    let (waiting, failure) = book.learn(.found(["192.0.2.1", "2001:db8::1"]), of: "a", at: at(0.02), random: 0)
    #expect(waiting == [1, 2] && failure == nil)
    #expect(book.addresses(of: "a", at: at(60.01)) == "192.0.2.1,[2001:db8::1]")
    #expect(book.ask("a", for: 3, at: at(60.01)) == .go)
    #expect(book.addresses(of: "a", at: at(60.02)) == nil)
    #expect(book.ask("a", for: 4, at: at(60.02)) == .wait)
    #expect(book.turn(at: at(60.02)).begin == ["a"])
  }

  @Test("So many names are remembered; the oldest is forgotten first")
  func remembered() {
    var limits = NameBook.Limits()
    limits.remembered = 2
    var book = NameBook(limits)
    func find(_ name: String, at moment: Double) {
      _ = book.ask(name, for: 1, at: at(moment))
      _ = book.turn(at: at(moment))
      _ = book.learn(.found(["192.0.2.1"]), of: name, at: at(moment), random: 0)
    }
    find("a", at: 0)
    find("b", at: 1)
    find("a", at: 60)
    find("c", at: 60.5)
    #expect(book.addresses(of: "b", at: at(60.6)) == nil)
    #expect(book.addresses(of: "a", at: at(60.6)) != nil && book.addresses(of: "c", at: at(60.6)) != nil)
    find("d", at: 60.7)
    #expect(book.addresses(of: "a", at: at(60.8)) == nil && book.addresses(of: "d", at: at(60.8)) != nil)
  }

  @Test("A name that does not exist is looked up once in a run")
  func absent() {
    var book = book()
    _ = book.ask("a", for: 1, at: at(0))
    _ = book.turn(at: at(0))
    #expect(book.learn(.absent, of: "a", at: at(0), random: 0).failure == .absent)
    #expect(book.ask("a", for: 2, at: at(100_000)) == .failed(.absent))
    #expect(!NameBook.Failure.absent.isTransient)
    #expect(book.isIdle)
  }

  @Test(
    "After a passing failure the name is looked up again", arguments: [NameFailure.noAnswer, .resources, .unreachable])
  func passing(failure: NameFailure) {
    var book = book()
    _ = book.ask("a", for: 1, at: at(0))
    _ = book.turn(at: at(0))
    let learned = book.learn(.failed(failure), of: "a", at: at(1), random: 0)
    #expect(learned.waiting == [1] && learned.failure == .passing(failure))
    #expect(NameBook.Failure.passing(failure).isTransient)
    #expect(book.ask("a", for: 1, at: at(1)) == .wait)
    #expect(book.turn(at: at(1)).begin == ["a"])
  }

  @Test("So many are looked up at once, and those that take long are counted apart")
  func bounds() {
    var book = book(prompt: 2, slow: 1)
    for (number, name) in ["a", "b", "c", "d", "e"].enumerated() {
      #expect(book.ask(name, for: UInt64(number), at: at(0)) == .wait)
    }
    #expect(book.turn(at: at(0)).begin == ["a", "b"])
    #expect(book.nextWake(after: at(0)) == at(1))
    #expect(book.turn(at: at(0.9)).begin == [])
    // Both take long now, and one of them makes room.
    #expect(book.turn(at: at(1)).begin == ["c"])
    _ = book.learn(.found(["192.0.2.1"]), of: "c", at: at(1.1), random: 0)
    #expect(book.turn(at: at(1.1)).begin == ["d"])
    _ = book.learn(.absent, of: "a", at: at(1.2), random: 0)
    #expect(book.turn(at: at(1.2)).begin == ["e"])
  }

  @Test("Who waits for longer than it takes to connect is told, and waits anew for the same look-up")
  func overdue() {
    var book = book()
    _ = book.ask("a", for: 1, at: at(0))
    _ = book.turn(at: at(0))
    #expect(book.turn(at: at(9.9)).overdue == [])
    #expect(book.turn(at: at(10)).overdue == [1])
    #expect(book.ask("a", for: 1, at: at(11)) == .wait)
    let turn = book.turn(at: at(20.9))
    #expect(turn.overdue == [] && turn.begin == [])
    #expect(book.turn(at: at(21)).overdue == [1])
    #expect(book.learn(.found(["192.0.2.1"]), of: "a", at: at(22), random: 0).waiting == [])
    #expect(book.ask("a", for: 1, at: at(22)) == .go)
  }

  @Test("The time before a look-up may begin does not count")
  func inLine() {
    var book = book(prompt: 1, slow: 0)
    _ = book.ask("a", for: 1, at: at(0))
    _ = book.ask("b", for: 2, at: at(0))
    _ = book.turn(at: at(0))
    _ = book.learn(.absent, of: "a", at: at(9), random: 0)
    #expect(book.turn(at: at(9)).begin == ["b"])
    #expect(book.turn(at: at(18)).overdue == [])
    #expect(book.turn(at: at(19)).overdue == [2])
  }

  @Test("A name is not looked up once no flight waits for it")
  func left() {
    var book = book(prompt: 1)
    _ = book.ask("a", for: 1, at: at(0))
    _ = book.ask("b", for: 2, at: at(0))
    _ = book.turn(at: at(0))
    book.leave("b", 2)
    _ = book.learn(.absent, of: "a", at: at(0), random: 0)
    #expect(book.turn(at: at(0)).begin == [])
    #expect(book.isIdle)
  }

  /// Six look-ups in a row that reach no name server: three show it, and three are trials.
  private func isolate(_ book: inout NameBook) -> (
    moment: Double, last: (waiting: [UInt64], failure: NameBook.Failure?)
  ) {
    var moment = 0.0
    var last: (waiting: [UInt64], failure: NameBook.Failure?) = ([], nil)
    for _ in 0..<6 {
      let begin = book.turn(at: at(moment)).begin
      guard let name = begin.first else { return (moment, last) }
      for further in begin.dropFirst() {
        last = book.learn(.failed(.unreachable), of: further, at: at(moment), random: 1)
      }
      last = book.learn(.failed(.unreachable), of: name, at: at(moment), random: 1)
      moment += 40
    }
    return (moment - 40, last)
  }

  @Test("Where no name server can be reached all who wait are told at once, and one look-up tries it later")
  func isolated() {
    var book = book(prompt: 1)
    for number in 0..<20 { _ = book.ask("host\(number)", for: UInt64(number), at: at(0)) }
    let (moment, last) = isolate(&book)
    #expect(last.failure == .isolated && last.waiting == (5..<20).map(UInt64.init))
    #expect(book.isIdle)
    #expect(book.ask("other", for: 30, at: at(moment + 29)) == .failed(.isolated))
    #expect(book.ask("other", for: 30, at: at(moment + 31)) == .wait)
    #expect(book.ask("another", for: 31, at: at(moment + 31)) == .wait)
    #expect(book.turn(at: at(moment + 31)).begin == ["other"])
    _ = book.learn(.found(["192.0.2.1"]), of: "other", at: at(moment + 31), random: 0)
    #expect(book.turn(at: at(moment + 31)).begin == ["another"])
  }

  @Test(
    "An answer of any kind shows that the name servers can be reached",
    arguments: [.absent, .failed(.noAnswer)] as [NameAnswer])
  func reachable(answer: NameAnswer) {
    var book = book(prompt: 1)
    for number in 0..<20 { _ = book.ask("host\(number)", for: UInt64(number), at: at(0)) }
    for number in 0..<20 {
      #expect(book.turn(at: at(Double(number))).begin == ["host\(number)"])
      _ = book.learn(
        number % 3 == 2 ? answer : .failed(.unreachable), of: "host\(number)", at: at(Double(number)), random: 1)
    }
  }
}
