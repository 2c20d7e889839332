import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct UnansweringHostsTests {
  private func failure(_ host: String, remedy: FetchError.Remedy? = .askLater) -> FetchError {
    FetchError(.connect, "http://\(host)/1.png", "\(host) does not answer (refused)", remedy: remedy)
  }

  @Test func oneMessageForEachHost() {
    var hosts = UnansweringHosts()
    #expect(hosts.add(failure("a.example:81")) == "a.example:81 does not answer (refused): its images are given up")
    #expect(hosts.add(failure("a.example:81")) == nil)
    #expect(hosts.sentence == "2 given up with a.example:81")
    #expect(hosts.add(failure("b.example")) == "b.example does not answer (refused): its images are given up")
    #expect(hosts.sentence == "3 given up with 2 hosts: a.example:81, b.example")
    for host in ["c.example", "d.example"] { hosts.add(failure(host)) }
    #expect(hosts.sentence == "5 given up with 4 hosts: a.example:81, b.example, c.example and others")
    #expect(hosts.count == "5 given up with 4 hosts")
  }

  @Test func otherFailuresDoNotCount() {
    var hosts = UnansweringHosts()
    #expect(hosts.add(failure("a.example", remedy: nil)) == nil)
    #expect(hosts.isEmpty)
  }
}
