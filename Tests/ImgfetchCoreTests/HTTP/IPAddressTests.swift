import Testing

@testable import ImgfetchCore

@Suite("An address as a host")
struct IPAddressTests {
  @Test(
    "is parsed in every form that the resolver accepts",
    arguments: [
      ("127.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.1", "127.0.0.1"), ("0177.1", "127.0.0.1"),
      ("0X7F000001", "127.0.0.1"), ("127.1", "127.0.0.1"), ("127.0.1", "127.0.0.1"), ("1.2.65535", "1.2.255.255"),
      ("0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("10.0.0.1.", "10.0.0.1"),
      ("1.16777215", "1.255.255.255"),
      ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
      ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
      ("1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
      ("::ffff:127.0.0.1", "::ffff:7f00:1"), ("64:ff9b::7f00:1", "64:ff9b::7f00:1"), ("fe80::1%25eth0", "fe80::1"),
      ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("::1:2:3:4:5:6:7", "0:1:2:3:4:5:6:7"),
    ])
  func literal(host: String, address: String) {
    #expect(IPAddress(host: host)?.description == address)
  }

  @Test(
    "is not found in names and garbage",
    arguments: [
      "", ".", "example.org", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "1.16777216", "4294967296", "08", "0x", "0x1g",
      "1..2", "-1", "1e3", "99999999999999999999", ":", ":::", ":1", "1:", "::1::", "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::12345", "::1.2.3", "::1.2.3.256", "::01.2.3.4", "::1.2.3.4:5", "::g",
      "1:2:3:4:5:6:7:1.2.3.4", String(repeating: ":", count: 1000),
    ])
  func name(host: String) {
    #expect(IPAddress(host: host) == nil)
  }

  @Test("is made from the bytes of the system's structures")
  func bytes() {
    #expect(IPAddress(bytes: [192, 0, 2, 1])?.description == "192.0.2.1")
    #expect(IPAddress(bytes: [0x20, 1] + [UInt8](repeating: 0, count: 13) + [9])?.description == "2001::9")
    #expect(IPAddress(bytes: [1, 2, 3]) == nil)
  }
}
