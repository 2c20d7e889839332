import ImgfetchCore
import Testing

@Suite struct NetrcTests {
  @Test func eachHostHasItsOwnLogin() {
    let netrc = Netrc("machine a.example login alice password one\nmachine b.example\n  password two\n  login bob\n")
    #expect(netrc.login(for: "A.example") == Login(user: "alice", password: "one"))
    #expect(netrc.login(for: "b.example") == Login(user: "bob", password: "two"))
    #expect(netrc.login(for: "c.example") == nil)
    #expect(netrc.login(for: "sub.a.example") == nil)
  }

  @Test func theDefaultAppliesToAllHostsAfterIt() {
    let netrc = Netrc("machine a login x password y default login anonymous password me machine b login z password w")
    #expect(netrc.login(for: "a")?.user == "x")
    #expect(netrc.login(for: "c")?.user == "anonymous")
    #expect(netrc.login(for: "b")?.user == "anonymous")
  }

  @Test func severalUsersOfOneHostAreDistinguished() {
    let netrc = Netrc("machine a login x password 1\nmachine a login y password 2\n")
    #expect(netrc.login(for: "a")?.password == "1")
    #expect(netrc.login(for: "a", user: "y")?.password == "2")
    #expect(netrc.login(for: "a", user: "z") == nil)
  }

  @Test func wordsMayBeQuotedAndCommentsAndMacrosAreIgnored() {
    let text = """
      # machine no login no password no
      macdef init
      machine wrong login wrong password wrong
      cd /pub

      machine a account ignored login "a \\"b\\"" password "c\\\\d e"
      """
    let netrc = Netrc(text)
    #expect(netrc.login(for: "wrong") == nil)
    #expect(netrc.login(for: "no") == nil)
    #expect(netrc.login(for: "a") == Login(user: "a \"b\"", password: "c\\d e"))
  }

  @Test func aPasswordMayBeginWithAHash() {
    #expect(Netrc("machine a login b password #c").login(for: "a")?.password == "#c")
  }

  @Test(arguments: ["", "machine", "login x", "machine a login", "\"", "machine \"a", "macdef", "default"])
  func nothingIsTooUgly(text: String) {
    let netrc = Netrc(text)
    #expect(netrc.login(for: "b")?.password ?? "" == "")
  }

  @Test func loginsAreNeverPrinted() {
    #expect("\(Login(user: "a", password: "secret"))" == "a:***")
    #expect(String(reflecting: Login(user: "a", password: "secret")) == "a:***")
  }
}
