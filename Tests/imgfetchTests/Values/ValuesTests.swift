import ImgfetchCore
import ImgfetchDataSet
import Testing

@testable import imgfetch

@Suite struct ValuesTests {
  private func attempt<Value>(_ read: () throws(ValueError) -> Value) -> Value? { try? read() }

  @Test(arguments: [
    ("0", 0), ("300", 300), ("1K", 1024), ("64k", 65_536), ("1.5M", 1_572_864), ("5G", 5_368_709_120),
    ("2T", 2_199_023_255_552), ("1KiB", 1024),
  ])
  func sizesTakeUnitsOf1024(_ text: String, _ size: Int) throws {
    #expect(try Values.size(text) == size)
  }

  @Test(arguments: [
    "", "K", "-1", "+1", "1 K", "1e3", "1X", "1KK", ".5K", "99999999T", "0x10", "1.2.3", "١", "inf", "nan",
  ])
  func otherSizesAreRefused(_ text: String) {
    #expect(attempt { () throws(ValueError) in try Values.size(text) } == nil)
  }

  @Test(arguments: [
    ("0", 0), ("15", 15_000), ("15s", 15_000), ("500ms", 500), ("1.5h", 5_400_000), ("10m", 600_000),
    ("7d", 604_800_000), ("2w", 1_209_600_000),
  ])
  func durationsTakeUnits(_ text: String, _ milliseconds: Int64) throws {
    #expect(try Values.duration(text) == milliseconds * 1_000_000)
  }

  @Test(arguments: ["", "s", "-1s", "1y", "1 d", "9999w", "1d2h"])
  func otherDurationsAreRefused(_ text: String) {
    #expect(attempt { () throws(ValueError) in try Values.duration(text) } == nil)
  }

  @Test(arguments: ["", "0", "101", "-3", "3.0", "99999999999999999999", "3 "])
  func countsHaveARange(_ text: String) {
    #expect(attempt { () throws(ValueError) in try Values.count(1...100)(text) } == nil)
  }

  @Test func choicesAreListedAndSuggested() {
    let error = #expect(throws: ValueError.self) { try Values.choice("refrsh", CachePolicy.self) }
    #expect(
      error?.text == "age, http, refresh, reload, only, memory or off is wanted; did you mean refresh?")
    let formats = attempt { () throws(ValueError) in try Values.choices("png,jpeg,png", Choices.Format.self) }
    #expect(formats?.map(\.word) == ["png", "jpeg"])
    #expect(attempt { () throws(ValueError) in try Values.choices("png,", Choices.Format.self) } == nil)
  }

  @Test func sizesInPixels() throws {
    #expect(try Values.dimensions("640x480") == PixelSize(640, 480))
    #expect(try Values.resizing("640x480") == .box(PixelSize(640, 480)))
    #expect(try Values.resizing("640x") == .width(640))
    #expect(try Values.resizing("x480") == .height(480))
    #expect(try Values.resizing("50%") == .percent(50))
    #expect(try Values.cropping("3x4") == Crop(PixelSize(3, 4)))
    #expect(try Values.cropping("3x4+0+9") == Crop(PixelSize(3, 4), x: 0, y: 9))
    for text in ["", "x", "3", "0x4", "3x0", "70000x1", "-3x4", "%", "0%", "x5%", "3x4x5", "3×4"] {
      #expect(attempt { () throws(ValueError) in try Values.resizing(text) } == nil, "\(text)")
    }
    for text in ["3x4+1", "3x4+1+2+3", "3x4-1-2", "+1+2", "3x+1+2"] {
      #expect(attempt { () throws(ValueError) in try Values.cropping(text) } == nil, "\(text)")
    }
  }

  @Test func ratios() throws {
    #expect(try Values.ratio("3") == 3)
    #expect(try Values.ratio("3:2") == 1.5)
    #expect(try Values.ratio("2:3") == 1.5)
    for text in ["", "0", "0.5", "1:0", ":", "1:2:3", "a"] {
      #expect(attempt { () throws(ValueError) in try Values.ratio(text) } == nil, "\(text)")
    }
  }

  @Test func colours() throws {
    #expect(try Values.colour("#ff8000") == ImageTransform.Colour(red: 255, green: 128, blue: 0))
    #expect(try Values.colour("#f80") == ImageTransform.Colour(red: 255, green: 136, blue: 0))
    #expect(try Values.colour("Navy") == ImageTransform.Colour(red: 0, green: 0, blue: 128))
    for text in ["", "#", "#ff", "#ff80001", "ff8000", "#+f8000", "transparent"] {
      #expect(attempt { () throws(ValueError) in try Values.colour(text) } == nil, "\(text)")
    }
  }

  @Test func statusLists() throws {
    let set = try Values.statuses("200-299,304")
    #expect(set.contains(200) && set.contains(299) && set.contains(304) && !set.contains(300))
    for text in ["", "99", "600", "299-200", "200-", "-200", "200,,201", "2xx", "200-201-202"] {
      #expect(attempt { () throws(ValueError) in try Values.statuses(text) } == nil, "\(text)")
    }
  }

  @Test func shardsAndRates() throws {
    #expect(try Values.listPart("3/8") == ListPart(index: 3, count: 8))
    #expect(try Values.rate("30/m") == RequestRate(requests: 30, nanoseconds: 60_000_000_000))
    for text in ["", "0/8", "9/8", "3", "3/0", "3/8/2", "a/b"] {
      #expect(attempt { () throws(ValueError) in try Values.listPart(text) } == nil, "\(text)")
    }
    for text in ["", "5", "0/s", "5/x", "5/", "5s"] {
      #expect(attempt { () throws(ValueError) in try Values.rate(text) } == nil, "\(text)")
    }
  }

  @Test func headerFields() throws {
    #expect(try Values.header("Accept:  image/png ") == HeaderSetting(name: "Accept", value: "image/png"))
    #expect(try Values.header("X-A: b: c") == HeaderSetting(name: "X-A", value: "b: c"))
    #expect(try Values.header("Accept:") == HeaderSetting(name: "Accept", value: nil))
    #expect(try Values.header("X-A;") == HeaderSetting(name: "X-A", value: ""))
    for text in ["", "a", ": b", "a b: c", "a: b\r\nc: d", "a: \u{0}", "a;b", "é: x"] {
      #expect(attempt { () throws(ValueError) in try Values.header(text) } == nil, "\(text)")
    }
  }

  @Test func usersAndAddresses() throws {
    #expect(try Values.user("me") == UserSetting(name: "me", password: nil))
    #expect(try Values.user("me:a:b") == UserSetting(name: "me", password: "a:b"))
    #expect(try Values.user("me:") == UserSetting(name: "me", password: ""))
    #expect(
      try Values.address("A.org:443:127.0.0.1") == ResolveSetting(host: "a.org", port: 443, address: "127.0.0.1"))
    #expect(try Values.address("a:1:[::1]") == ResolveSetting(host: "a", port: 1, address: "::1"))
    for text in ["", "a", "a:1", "a:0:1.2.3.4", "a:70000:1.2.3.4", ":1:1.2.3.4", "a:1:b.org", "a:1:"] {
      #expect(attempt { () throws(ValueError) in try Values.address(text) } == nil, "\(text)")
    }
  }

  @Test func namesOfNamespaces() {
    for text in ["default", "a", "A.b-c_1", "-x"] {
      #expect(attempt { () throws(ValueError) in try Values.namespace(text) } == text)
    }
    for text in ["", ".a", "a/b", "..", "é", String(repeating: "a", count: 65)] {
      #expect(attempt { () throws(ValueError) in try Values.namespace(text) } == nil, "\(text)")
    }
  }

  @Test func templatesKnowTheirFields() throws {
    #expect(try Templates.check("{a}-{b}{", fields: ["a", "b"]) == "{a}-{b}{")
    #expect(try Templates.check("{ \"x\": {a} }", fields: ["a"]) == "{ \"x\": {a} }")
    let error = #expect(throws: ValueError.self) { try Templates.check("{widht}", fields: ["width", "url"]) }
    #expect(error?.text == "there is no field {widht}; did you mean width?; there are width, url")
  }
}
