import Testing

@testable import ImgfetchCore

@Suite("The class of an address")
struct AddressClassTests {
  @Test(
    "is not public where IANA says so, in whatever form it is embedded",
    arguments: [
      "0.0.0.0", "0.255.255.255", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "2130706433", "0x7f.1",
      "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.8", "192.0.0.170", "192.0.2.1",
      "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
      "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
      "::127.0.0.1",
      "::8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::7f00:1", "64:ff9b:1::808:808", "100::1", "2001::1",
      "2001:0:808:808::80ff:fffe", "2001:0:a00:1::f7f7:f7f7", "2001:2::1", "2001:10::1", "2001:1::4", "2001:db8::1",
      "2002:7f00:1::", "2002:a9fe:a9fe::1", "3fff::1", "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1", "febf::1",
      "fec0::1", "ff02::1", "4000::1", "1::1",
    ])
  func closed(host: String) throws {
    #expect(!AddressClass.isGloballyReachable(try #require(IPAddress(host: host))))
  }

  @Test(
    "is public otherwise",
    arguments: [
      "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
      "128.0.0.0",
      "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.0.9", "192.0.0.10", "192.0.1.0", "192.31.196.1",
      "192.52.193.1", "192.175.48.1", "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8",
      "64:ff9b::808:808", "2001:0:808:808::f7f7:f7f7", "2001:1::1", "2001:1::3", "2001:3::1", "2001:4:112::1",
      "2001:20::1",
      "2001:30::1", "2001:200::1", "2001:4860:4860::8888", "2002:808:808::1", "2606:4700::1111", "2620:4f:8000::1",
      "3ffe::1",
    ])
  func open(host: String) throws {
    #expect(AddressClass.isGloballyReachable(try #require(IPAddress(host: host))))
  }

  @Test("is also judged from the bytes of the system's structures, but not from other lengths")
  func bytes() throws {
    #expect(AddressClass.isGloballyReachable(try #require(IPAddress(bytes: [8, 8, 8, 8]))))
    #expect(!AddressClass.isGloballyReachable(try #require(IPAddress(bytes: [127, 0, 0, 1]))))
    #expect(IPAddress(bytes: [8, 8, 8]) == nil)
    #expect(IPAddress(bytes: []) == nil)
  }
}
