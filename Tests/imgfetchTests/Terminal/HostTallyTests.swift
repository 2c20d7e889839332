import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct HostTallyTests {
  private func failure(_ url: String) -> FetchError { FetchError(.http, url, "the server answers 404", status: 404) }

  @Test func hostsComeWithThePortThatIsNotTheSchemesMostFailuresFirst() {
    var tally = HostTally()
    for url in [
      "http://b.test:8080/1", "http://b.test:8080/2", "https://A.test/1", "https://user:***@a.test:443/2", "a.test/3?x",
    ] {
      tally.add(url, failure(url))
      tally.add(url, nil)
    }
    let hosts = tally.hosts(atMost: 9)
    #expect(hosts.map(\.name) == ["a.test", "b.test:8080", "a.test"])
    #expect(hosts.map(\.failed) == [2, 2, 1])
    #expect(hosts[1].total == 4 && hosts[1].message.hasPrefix("http://b.test:8080/"))
  }

  @Test func aLineThatIsNoURLHasNoHost() {
    var tally = HostTally()
    for line in ["", "two words", "/a", "http://", "?"] { tally.add(line, failure(line)) }
    #expect(tally.hosts(atMost: 9).isEmpty)
  }

  @Test func theHostsWithTheMostFailuresAreKnownHoweverMany() {
    var tally = HostTally()
    for number in 0..<250_000 {
      let url = "http://h\(number).test/"
      tally.add(url, number % 2 == 0 ? failure(url) : nil)
      // Three that come back all the time, one of them from the middle on.
      if number % 100 == 0 {
        for host in number < 125_000 ? ["a", "b"] : ["a", "b", "c"] { tally.add("http://\(host)/", failure(host)) }
      }
    }
    let hosts = tally.hosts(atMost: 3)
    #expect(hosts.map(\.name) == ["a", "b", "c"])
    #expect(hosts.map(\.failed) == [2500, 2500, 1250])
    #expect(hosts.map(\.total) == [2500, 2500, 1250])
  }
}
