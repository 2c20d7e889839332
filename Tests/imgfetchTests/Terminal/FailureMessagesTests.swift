import Testing

@testable import imgfetch

@Suite struct FailureMessagesTests {
  @Test func equalMessagesAreOneLineAndOneCount() {
    var messages = FailureMessages(waits: false)
    #expect(["a", "b", "a", "a"].map { messages.add($0) } == ["a", "b", nil, nil])
    #expect(messages.takeRest() == ["2 more times: a"])
    #expect(messages.takeRest().isEmpty && !messages.isEmpty)
  }

  @Test func thoseThatWaitHaveTheirCountsInTheOrderOfTheirComing() {
    var messages = FailureMessages(waits: true)
    for text in ["a", "b", "a"] { #expect(messages.add(text) == nil) }
    #expect(messages.takeRest() == ["a (2 times)", "b"])
  }

  @Test func whatIsTooMuchToWaitIsPrinted() {
    var messages = FailureMessages(waits: true)
    let printed = (0..<10_010).compactMap { messages.add("\($0)") }
    #expect(printed == (10_000..<10_010).map { "\($0)" })
  }
}
