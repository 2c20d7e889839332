import Foundation
import ImgfetchCore
import TestSupport
import Testing

@testable import imgfetch

@Suite struct InputListTests {
  let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  private func urls(_ list: InputList) throws -> [String] {
    var list = list
    var urls: [String] = []
    while let item = try list.next() { urls.append(url(item)) }
    return urls
  }

  private func url(_ item: InputList.Item?) -> String {
    if case .line(let line)? = item { String(line.url.display.prefix { $0 != "/" }) } else { "\(item as Any)" }
  }

  private func flaw(_ item: InputList.Item?) -> InvalidLine? {
    if case .invalid(let line)? = item { line } else { nil }
  }

  @Test func operandsComeFirstAndThenTheListsInOrder() throws {
    let one = try place.write("one", "c/\nd/\n")
    let two = try place.write("two", "e/")
    #expect(try urls(InputList(operands: ["a/", "b/"], lists: [one, two])) == ["a", "b", "c", "d", "e"])
  }

  @Test func allLinesOfTheListsAreCountedAndOperandsAreNone() throws {
    let one = try place.write("one", "# remark\nc\n\nd\ttoo\tmany\n")
    let two = try place.write("two", "e")
    var list = InputList(operands: ["a"], lists: [one, place.path("missing"), two])
    var counts: [Int] = []
    while true {
      do { if try list.next() == nil { break } } catch {}
      counts.append(list.lines)
    }
    #expect(counts == [0, 2, 4, 4, 5])
    #expect(list.lines == 5)
  }

  @Test func linesMayEndInAnyWay() throws {
    let list = try place.write("list", "\u{FEFF}a/\r\n\n# no\n  b/  \r\n\r\nc/")
    #expect(try urls(InputList(operands: [], lists: [list])) == ["a", "b", "c"])
    #expect(try urls(InputList(operands: [], lists: [place.write("empty", "")])) == [])
    #expect(try urls(InputList(operands: [], lists: [place.write("bare", "\n\n")])) == [])
  }

  @Test func recordsMayEndWithNUL() throws {
    let list = try place.write("list", "a/\u{0}b/\tx y\u{0}\u{0}c/")
    #expect(try urls(InputList(operands: [], lists: [list], isNullEnded: true)) == ["a", "b", "c"])
  }

  @Test func linesAreWholeWhereverTheReadsFall() throws {
    let lines = (0..<20_000).map { "https://example.org/\($0)/" + String(repeating: "x", count: $0 % 97) }
    let list = try place.write("list", lines.joined(separator: "\n"))
    var read = InputList(operands: [], lists: [list])
    var whole: [String] = []
    while case .line(let line)? = try read.next() { whole.append(line.url.display) }
    #expect(whole == lines)
  }

  @Test func aMistakeNamesItsLineAndTheRestIsRead() throws {
    let path = try place.write("list", "a/\n# x\nb/\tn\tzzz\nc/\n")
    var list = InputList(operands: [], lists: [path])
    #expect(try url(list.next()) == "a")
    let flawed = try flaw(list.next())
    #expect(flawed?.error.message.hasPrefix("\(path):3: 'zzz' is no field") == true)
    #expect(flawed?.error.kind == .refused)
    #expect(flawed?.url == "b/")
    #expect(flawed?.text == Array("b/\tn\tzzz".utf8))
    #expect(try url(list.next()) == "c")
    #expect(try list.next() == nil)
  }

  @Test func aLineWithoutEndIsAMistakeAndNotMemory() throws {
    let long = String(repeating: "x", count: 3 << 20)
    let path = try place.write("list", "a/\n\(long)\nb/\n\(long)")
    var list = InputList(operands: [], lists: [path])
    #expect(try url(list.next()) == "a")
    #expect(try flaw(list.next())?.error.message == "\(path):2: the line is longer than 1 MiB")
    #expect(try url(list.next()) == "b")
    let last = try flaw(list.next())
    #expect(last?.error.message == "\(path):4: the line is longer than 1 MiB")
    #expect(last?.text.count ?? .max < 1000)
    #expect(try list.next() == nil)
  }

  @Test func aListThatCannotBeReadIsNamedAndTheNextOneIsRead() throws {
    let good = try place.write("good", "a/")
    let missing = place.path("missing")
    var list = InputList(operands: [], lists: [missing, place.path, good])
    #expect(throws: InputList.Failure(name: missing, reason: "\(Errno.noSuchFile)")) { _ = try list.next() }
    #expect(throws: InputList.Failure(name: place.path, reason: "\(Errno.isDirectory)")) { _ = try list.next() }
    #expect(try url(list.next()) == "a")
  }

  @Test func aPipeIsReadLineByLineAndNeverWaitedFor() throws {
    let (reader, end) = try Pipes.open()
    let writer = Descriptor(owning: end)
    var list = InputList(
      operands: ["z/"], lists: ["-"], standardInput: SharedDescriptor(Descriptor(owning: reader)))
    func next(isReady: Bool = false) throws -> String? {
      guard let item = try list.next(isReady: isReady) else { return nil }
      if case .pending = item { return "pending" }
      return url(item)
    }
    #expect(try next() == "z")
    #expect(try next() == "pending")
    try writer.write(Array("a/\nb/\n".utf8).span)
    #expect(try next() == "pending")
    #expect(try next(isReady: true) == "a")
    #expect(try next() == "b")
    #expect(try next() == "pending")
    try writer.write(Array("# only a remark\nc/".utf8).span)
    try writer.close()
    #expect(try next(isReady: true) == "pending")
    #expect(try next(isReady: true) == "c")
    #expect(try next() == nil)
    #expect(list.isDone)
  }

  @Test func aNamedPipeWithoutAWriterIsPending() throws {
    let path = place.path("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    var list = InputList(operands: [], lists: [path])
    guard case .pending(let stream)? = try list.next() else { return #expect(Bool(false), "it is taken for empty") }
    #expect(Waker().wait(for: stream, atMost: .milliseconds(0)) == .timedOut)
    let writer = try Descriptor.open(path, .write)
    try writer.write(Array("a/\n".utf8).span)
    #expect(Waker().wait(for: stream, atMost: Patience.long) == .ready)
    #expect(try url(list.next(isReady: true)) == "a")
  }

  @Test func whatIsNotTriedIsTakenAsItWasGiven() throws {
    let long = String(repeating: "x", count: 2 << 20)
    let list = try place.write("list", "\u{FEFF}a\tn\tzzz\r\n# remark\n\n  b \n\(long)\nc")
    var rest = InputList(operands: ["z/"], lists: [list])
    #expect(try url(rest.next()) == "z")
    var lines: [String] = []
    while case .line(let line)? = try rest.nextText() { lines.append(String(decoding: line, as: UTF8.self)) }
    #expect(lines == ["a\tn\tzzz", "b", "# \(list):5: the line is longer than 1 MiB", "c"])
    #expect(rest.isDone)
  }

  @Test func aListIsNotDoneThatWasLeftOrCouldNotBeRead() throws {
    let good = try place.write("good", "a/\nb/\n")
    var left = InputList(operands: [], lists: [good, good])
    #expect(try url(left.next()) == "a")
    left.skipList()
    #expect(try (url(left.next()), url(left.next())) == ("a", "b"))
    #expect(try left.next() == nil)
    #expect(!left.isDone && left.unread.isEmpty)
    var broken = InputList(operands: [], lists: [place.path])
    #expect(throws: InputList.Failure.self) { _ = try broken.next() }
    #expect(!broken.isDone && broken.unread.count == 1)
  }

  @Test("Lines that are passed over are those that are read, whatever stands between them")
  func passing() throws {
    let place = try TemporaryFolder()
    let text = "\u{FEFF}a\n# no\n  b  \r\n\r\n   # no\n\t\n\tc\n" + String(repeating: "x", count: 70_000) + "\n\nlast"
    for format in [Choices.ListFormat.lines, .jsonl] {
      let path = try place.write("list", text)
      var (one, other) = (
        InputList(operands: [], lists: [path], format: format), InputList(operands: [], lists: [path], format: format)
      )
      var (expected, found): ([[UInt8]], [[UInt8]]) = ([], [])
      while let line = try one.nextLine() { expected.append(Array(line)) }
      while true {
        _ = other.passLines(atMost: 2) { line in found.append((0..<line.count).map { line[$0] }) }
        guard let line = try other.nextLine() else { break }
        found.append(Array(line))
      }
      #expect(found == expected)
      #expect(one.lines == other.lines)
    }
  }
}
