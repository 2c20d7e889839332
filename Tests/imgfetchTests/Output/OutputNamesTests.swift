import Testing

@testable import ImgfetchCore
@testable import imgfetch

/// Expectations cannot call mutating functions.
private final class Namer {
  private var names: OutputNames
  init(template: OutputTemplate? = nil, foldsCase: Bool = false) {
    names = OutputNames(template: template, foldsCase: foldsCase)
  }
  func name(for source: NameSource, given: String? = nil, stem: String? = nil) -> ClaimedName {
    names.name(for: source, given: given, stem: stem)
  }
}

@Suite struct OutputNamesTests {
  private func source(_ segment: String, key: String = "", path: String = "/", index: Int = 1) -> NameSource {
    NameSource(
      segment: segment, host: "example.org", path: path, key: key.isEmpty ? segment : key,
      index: index)
  }

  private func facts(_ format: ImageFormat) -> ImageFacts { ImageFacts(format: format, width: 640, height: 480) }

  private func name(_ segment: String, _ format: ImageFormat?) -> String {
    let names = Namer()
    return names.name(for: source(segment)).path(for: format.map(facts))
  }

  private func named(_ template: String, _ segment: String, path: String = "/", _ format: ImageFormat? = .png) throws
    -> String
  {
    let names = Namer(template: OutputTemplate(template))
    return names.name(for: source(segment, key: "k", path: path, index: 7)).path(for: format.map(facts))
  }

  @Test(
    arguments: [
      ("photo.jpg", ImageFormat.jpeg, "photo.jpg"), ("photo.JPG", .jpeg, "photo.JPG"),
      ("photo.jpeg", .jpeg, "photo.jpeg"), ("photo.jpe", .jpeg, "photo.jpe"), ("photo.jfif", .jpeg, "photo.jfif"),
      ("photo.jpg", .webp, "photo.webp"), ("raw.dng", .tiff, "raw.dng"), ("raw.NEF", .tiff, "raw.NEF"),
      ("raw.dng", .jpeg, "raw.jpg"), ("x.svgz", .svg, "x.svg"), ("photo.avif", .png, "photo.png"),
      ("photo", .gif, "photo.gif"),
      ("photo.php", .png, "photo.php.png"), ("photo.v2", .png, "photo.v2.png"), ("a.tar.png", .png, "a.tar.png"),
      ("", .png, "image.png"), ("..", .png, "image.png"), (".png", .png, "png.png"), ("..%2f", .png, "%2f.png"),
      ("../../x.png", .png, "x.png"), ("-.gif", .gif, "gif.gif"), ("a..png", .png, "a.png"),
    ])
  func theExtensionFollowsTheBytes(_ segment: String, _ format: ImageFormat, _ file: String) {
    #expect(name(segment, format) == file)
  }

  @Test("Where names that differ in their case are one file, the second key that wants it gets digits")
  func foldedCase() {
    for foldsCase in [false, true] {
      let names = Namer(foldsCase: foldsCase)
      func path(_ segment: String, key: String, given: String? = nil) -> String {
        names.name(for: source(segment, key: key), given: given).path(for: facts(.png))
      }
      #expect(path("Photo.png", key: "1") == "Photo.png")
      #expect((path("photo.png", key: "2") == "photo.png") == !foldsCase)
      #expect(path("x.png", key: "3", given: "Name") == "Name.png")
      #expect((path("x.png", key: "4", given: "name") == "name.png") == !foldsCase)
      #expect(path("x.png", key: "3", given: "NAME") == "NAME.png", "it is the same image's")
    }
  }

  @Test func whatNobodyLookedAtKeepsItsName() {
    #expect(name("photo.jpg", nil) == "photo.jpg")
    #expect(name("page.html", nil) == "page.html")
    #expect(name("plain", nil) == "plain")
    #expect(name("", nil) == "image")
  }

  @Test func aNameOfFourHundredCharactersFitsAFileSystem() {
    let long = name(String(repeating: "ä", count: 400) + ".jpg", .jpeg)
    #expect(long.utf8.count <= 255 - 9)
    #expect(long.hasSuffix("ä.jpg"))
  }

  @Test func aLongNameHasTwoHundredBytesAndItsOwnExtension() {
    func x(_ count: Int) -> String { String(repeating: "x", count: count) }
    #expect(name(x(196) + ".png", .png) == x(196) + ".png")
    #expect(name(x(197) + ".png", .png) == x(196) + ".png")
    #expect(name(x(300) + ".jpeg", .jpeg) == x(195) + ".jpeg")
    #expect(name(x(300) + ".JPG", .jpeg) == x(196) + ".JPG")
    #expect(name(x(300) + ".jpeg", .png) == x(195) + ".png")
    #expect(name(x(300), .png) == x(200) + ".png")
    #expect(name(String(repeating: "ä", count: 300) + ".png", .png).utf8.count == 200)
    #expect(name("--" + x(300) + ".png", .png) == x(196) + ".png")
  }

  @Test func theSecondKeyThatWantsANameGetsASuffix() {
    let names = Namer()
    let first = names.name(for: source("cat.jpg", key: "one"))
    let second = names.name(for: source("cat.png", key: "two"))
    #expect(first.path(for: facts(.jpeg)) == "cat.jpg")
    #expect(second.path(for: facts(.png)) == "cat-\(ContentHash(of: "two").hex.prefix(8)).png")
    #expect(!first.isRepeated && !second.isRepeated && first.isMadeOfURL && second.isMadeOfURL)
    for (key, earlier) in [("one", first), ("two", second)] {
      let again = names.name(for: source("cat.jpg", key: key))
      #expect(again.path(for: facts(.gif)) == earlier.path(for: facts(.gif)))
      #expect(again.isRepeated && again.first == earlier.first)
    }
  }

  @Test(arguments: ["a/b", "a//b", "a/./b", "./a/b", "a/b/.", "/a/b"])
  func aNameIsTakenHoweverItIsSpelt(other: String) {
    let names = Namer()
    let first = names.name(for: source("x.png", key: "1"), given: "a/b").path(for: facts(.png))
    let second = names.name(for: source("y.png", key: "2"), given: other).path(for: facts(.png))
    #expect(first == "a/b.png")
    #expect(second != first && second.hasPrefix("a/b"), "\(second)")
  }

  @Test func imagesNamedByTheirBytesNeedNoDigits() throws {
    let names = Namer(template: OutputTemplate("{sha256}.{ext}"))
    for key in ["1", "2"] {
      let name = names.name(for: source("x.png", key: key))
      #expect(name.path(for: facts(.png), digest: "d\(key)", choice: name.first) == "d\(key).png")
    }
  }

  @Test func furtherNamesHaveMoreAndMoreDigits() {
    let names = Namer()
    let name = names.name(for: source("cat.jpg", key: "one"))
    let digits = ContentHash(of: "one").hex
    #expect(
      (0..<OutputOptions.nameCount).map { name.path(for: facts(.jpeg), in: "d/", choice: $0) } == [
        "d/cat.jpg", "d/cat-\(digits.prefix(8)).jpg", "d/cat-\(digits.prefix(16)).jpg", "d/cat-\(digits).jpg",
        "d/cat-\(OutputKey(of: "one").hex).jpg",
      ])
  }

  @Test func onlyWhatIsMadeOfTheURLHolds() throws {
    for (template, holds) in [
      ("{name}.{ext}", true), ("{path}/x.{ext}", true), ("{key}", true), ("{index}.{ext}", false), ("{host}", false),
      ("x-{width}.{format}", false),
    ] {
      #expect(Namer(template: OutputTemplate(template)).name(for: source("a")).isMadeOfURL == holds, "\(template)")
    }
    #expect(!Namer().name(for: source("a"), given: "b.png").isMadeOfURL)
    #expect(!Namer().name(for: source("a"), stem: "b").isMadeOfURL)
  }

  @Test func aStemHasTheExtensionThatTheBytesSay() {
    let names = Namer()
    #expect(names.name(for: source("x.jpeg"), stem: "d/a.b").path(for: facts(.png)) == "d/a.b.png")
    #expect(names.name(for: source("x.jpeg"), stem: "d/c").path(for: facts(.jpeg)) == "d/c.jpeg")
    #expect(names.name(for: source("x"), given: "d/e.gif", stem: "d/f").path(for: facts(.png)) == "d/f.gif")
    #expect(names.name(for: source("x"), stem: "../../g").path(for: facts(.png)) == "__/__/g.png")
  }

  @Test func aFailedLineTakesItsDigitsAlongAndGetsThemAgainWithoutTheOther() throws {
    let names = Namer()
    #expect(names.name(for: source("cat.jpg", key: "one")).stemWithDigits == nil)
    let second = names.name(for: source("cat.jpg", key: "two"))
    let stem = try #require(second.stemWithDigits)
    #expect(stem == "cat-" + ContentHash(of: "two").hex.prefix(8))
    let alone = Namer().name(for: source("cat.jpg", key: "two"), stem: stem)
    #expect(alone.path(for: facts(.png)) == second.path(for: facts(.png)))
    // It still counts as made from the URL: an image that has the plain name from an earlier run keeps it.
    #expect(alone.isMadeOfURL && alone.first == 1 && alone.stemWithDigits == stem)
    #expect(alone.path(for: facts(.png), choice: 0) == "cat.png")
    let given = Namer()
    _ = given.name(for: source("x", key: "1"), given: "a/Cat.png")
    #expect(
      given.name(for: source("x", key: "2"), given: "a/Cat.png").stemWithDigits
        == "a/Cat-" + ContentHash(of: "2").hex.prefix(8))
  }

  @Test(arguments: ["{name}", "{name}.jpg", "{host}/{name}", "{name}.{ext}"])
  func aFailedLineHasTheExtensionThatItsTemplateGives(template: String) throws {
    let names = Namer(template: OutputTemplate(template))
    _ = names.name(for: source("cat.gif", key: "one"))
    let second = names.name(for: source("cat.gif", key: "two"))
    let stem = try #require(second.stemWithDigits)
    let alone = Namer(template: OutputTemplate(template)).name(for: source("cat.gif", key: "two"), stem: stem)
    #expect(alone.path(for: facts(.png)) == second.path(for: facts(.png)))
  }

  @Test func aGivenNameIsTakenAsItIsAndClaimsItsStem() {
    let names = Namer()
    #expect(names.name(for: source("x", key: "1"), given: "a/Cat.png").path(for: facts(.jpeg)) == "a/Cat.png")
    #expect(names.name(for: source("x", key: "1"), given: "bare").path(for: facts(.jpeg)) == "bare.jpg")
    let other = names.name(for: source("x", key: "2"), given: "a/Cat.png").path(for: facts(.jpeg))
    #expect(other == "a/Cat-\(ContentHash(of: "2").hex.prefix(8)).png")
    #expect(names.name(for: source("x", key: "1"), given: "a/Cat.png").path(for: facts(.jpeg)) == "a/Cat.png")
    _ = names.name(for: source("x", key: "1"), given: "dog.png")
    let dog = names.name(for: source("dog.jpg", key: "3")).path(for: facts(.jpeg))
    #expect(dog == "dog-\(ContentHash(of: "3").hex.prefix(8)).jpg")
  }

  @Test func templatesNameByURLAndImage() throws {
    let key = ContentHash(of: "k").hex
    #expect(
      try named("{host}/{path}/{name}.{ext}", "a b.jpeg", path: "/x/%2e%2e/y%2fz/a%20b.jpeg", .jpeg)
        == "example.org/x/yz/a b.jpeg")
    #expect(try named("{key}.{ext}", "a.jpg") == "\(key).png")
    #expect(try named("{index}-{width}x{height}.{format}", "a.jpg") == "7-640x480.png")
    #expect(try named("{nonsense}{{name}}.{ext}", "a.jpg") == "{nonsense}{a}.png")
    #expect(try named("fixed", "a.jpg") == "fixed")
    #expect(try named("{name}.{ext}", "plain", nil) == "plain")
  }

  @Test func aTemplateNeverLeadsOutOfTheFolder() throws {
    for template in ["/tmp/{name}", "../{name}", "a/../../{name}", "{name}/"] {
      #expect(throws: ValueError.self) { _ = try Templates.name(template) }
    }
    #expect(try named("../../{name}", "a.png") == "__/__/a")
    #expect(try named("..{path}/{name}.{ext}", "a.png") == "__/a.png")
    #expect(try named("{path}/{name}.{ext}", "a.png") == "a.png")
    #expect(try named("{path}", "a.png") == "image")
    #expect(try named("./{host}/{path}", "a.png") == "example.org/image")
    #expect(try named("...{ext}/{name}", "a", nil) == "__/a")
    #expect(try named("{name}", "..") == "image")
  }

  @Test func manyFieldsInOneComponentAreCutAndKeepTheirExtension() throws {
    let long = String(repeating: "n", count: 300)
    let name = try named("{host}-{name}-{key}.{ext}", long)
    #expect(name.utf8.count <= 255)
    #expect(name.hasPrefix("example.org-nnn") && name.hasSuffix(".png"))
  }

  @Test(arguments: [
    "{name}-{width}-{name}", "{name}{width}{name}{height}{name}.{ext}", "{key}-{name}.{format}.{name}",
    "{path}/{name}{name}/{name}-{width}.{ext}", "{name}{dhash}{name}{dhash}{dhash}{phash}{dhash}.{ext}",
  ])
  func fieldsOnBothSidesOfWhatTheImageTellsFitTogether(template: String) throws {
    let long = String(repeating: "n", count: 300)
    let names = Namer(template: OutputTemplate(template))
    let huge = ImageFacts(format: .jpeg, width: 2_147_483_647, height: 2_147_483_647)
    let first = names.name(for: source(long, key: "1", path: "/\(long)/x")).path(for: huge)
    let second = names.name(for: source(long, key: "2", path: "/\(long)/x")).path(for: huge)
    for path in [first, second] {
      #expect(path.split(separator: "/").allSatisfy { $0.utf8.count <= 255 }, "\(path)")
      #expect(path.hasSuffix(".jpg") == template.hasSuffix(".{ext}"))
    }
    #expect(first != second)
    #expect(first.contains("n") && template.contains("{width}") == first.contains("2147483647"))
  }

  @Test func aTemplateWhoseFieldsExceedAFileNameIsRefused() throws {
    for template in [
      "{sha256}{sha256}{sha256}{sha256}", "a/{sha256}-{sha256}-{sha256}-{thumbhash}",
      String(repeating: "{width}", count: 23), "{sha256}-{sha256}-{sha256}-{width}x{height}.{format}",
    ] {
      #expect(throws: ValueError.self, "\(template)") { _ = try Templates.name(template) }
    }
    for template in [
      "{sha256}{sha256}{sha256}", "{sha256}-{thumbhash}-{blurhash}-{dhash}-{phash}.{ext}",
      "{sha256}-{sha256}-{sha256}-{width}x{height}.{ext}", String(repeating: "{width}", count: 22),
      "{sha256}{sha256}/{sha256}{sha256}", String(repeating: "{name}", count: 40),
    ] {
      #expect(throws: Never.self, "\(template)") { _ = try Templates.name(template) }
    }
  }

  @Test func noFormatIsLongerThanTheRoomKeptForIt() {
    let extensions = ImageFormat.allCases.flatMap(\.acceptedExtensions) + Stem.rawExtensions
    #expect(extensions.map(\.utf8.count).max() == NameRoom.fileExtension)
    #expect(ImageFormat.allCases.allSatisfy { $0.rawValue.utf8.count <= NameRoom.format })
  }

  @Test func noFingerprintIsLongerThanTheRoomKeptForIt() {
    // Noise has all waves, and what is half transparent is described at the greatest length.
    let pixels = (0..<32 * 32 * 4).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 >> 3) }
    let picture = SmallPicture(size: PixelSize(32, 32), pixels: pixels)
    #expect(ThumbHash.text(of: picture).utf8.count == NameRoom.length(of: .thumbhash))
    #expect(BlurHash.text(of: picture).utf8.count == NameRoom.length(of: .blurhash))
  }

  @Test func onlyWhatIsTooLongIsCut() throws {
    let long = String(repeating: "n", count: 190)
    #expect(try named("{host}/{name}-{width}-{index}.{ext}", long) == "example.org/\(long)-640-7.png")
    let cut = try named("{host}/{name}-{width}-{name}-{index}.{ext}", long)
    #expect(cut.hasPrefix("example.org/nnn") && cut.contains("n-640-") == false && cut.contains("640-nnn"))
  }

  @Test func aSuffixStandsBeforeTheExtensionInTheLastComponent() throws {
    for (template, expected) in [
      ("{host}/same.{ext}", "example.org/same-S.png"), ("d.x/same", "d.x/same-S"), ("same.png", "same-S.png"),
      ("{width}", "640-S"), ("{width}.{format}", "640-S.png"),
    ] {
      let names = Namer(template: OutputTemplate(template))
      _ = names.name(for: source("a", key: "1"))
      let second = names.name(for: source("b", key: "2")).path(for: facts(.png))
      #expect(second == expected.replacing("S", with: ContentHash(of: "2").hex.prefix(8)))
    }
  }

  @Test func theNamesThatAFileMayHaveAreKnownBeforeTheImageUnlessItsSizeDecides() throws {
    var names = Namer()
    #expect(
      names.name(for: source("a.png")).choice().candidates()
        == ImageFormat.allCases.flatMap(\.acceptedExtensions).map { "a." + $0 })
    #expect(names.name(for: source("b"), given: "b.png").choice().candidates() == ["b.png"])
    names = Namer(template: OutputTemplate("{width}.{ext}"))
    #expect(names.name(for: source("c")).choice().candidates() == nil)
    #expect(OutputName(exactly: "../x").candidates() == ["../x"])
  }

  @Test func theUsersOwnPathIsNotTouched() {
    #expect(OutputName(exactly: "/tmp/../x").path(for: facts(.png)) == "/tmp/../x")
  }
}

@Suite struct NameClaimsTests {
  @Test(arguments: [3, 31, 32, 33, 30_000]) func aClaimIsKeptForItsKeyAndRefusedToOthers(count: Int) {
    var claims = NameClaims()
    let keys = (0..<3).map { NameClaims.Claimant(of: "key \($0)") }
    let names = (0..<count).map { ContentHash(of: "name \($0)") }
    var answers: [NameClaims.Answer: Int] = [:]
    for (at, name) in names.enumerated() { answers[claims.claim(name, for: keys[at % 3]), default: 0] += 1 }
    #expect(answers == [.granted: count])
    for (at, name) in names.enumerated() {
      answers[claims.claim(name, for: keys[at % 3]), default: 0] += 1
      answers[claims.claim(name, for: keys[(at + 1) % 3]), default: 0] += 1
    }
    #expect(answers == [.granted: count, .own: count, .taken: count])
  }

  /// Two keys whose unkeyed hashes agree in all stored bits are still two keys.
  @Test(arguments: [0, 100]) func keysThatWereMadeToMeetAreToldApart(others: Int) throws {
    var claims = NameClaims()
    for number in 0..<others { _ = claims.claim(ContentHash(of: "other \(number)"), for: NameClaims.Claimant(of: "x")) }
    var seen: [UInt64: Int] = [:]
    var pair: (Int, Int)?
    var number = 0
    while pair == nil {
      let bits = ContentHash(of: "https://example.org/\(number)/cat.jpg").low & 0xF_FFFF_FFFE
      pair = seen.updateValue(number, forKey: bits).map { ($0, number) }
      number += 1
    }
    let found = try #require(pair)
    let name = ContentHash(of: "cat")
    let answers = [found.0, found.1].map {
      claims.claim(name, for: NameClaims.Claimant(of: "https://example.org/\($0)/cat.jpg"))
    }
    #expect(answers == [.granted, .taken])
  }

  @Test func amongManyAClaimTakesSixteenBytesAtTheMost() {
    var claims = NameClaims()
    let key = NameClaims.Claimant(of: "key")
    for number in 0..<300_000 {
      _ = claims.claim(ContentHash(high: UInt64(number), low: UInt64(number) &* 0x9E37_79B9_7F4A_7C15), for: key)
    }
    let bytes = claims.tables.reduce(0) { $0 + $1.slots.count * MemoryLayout<NameClaims.Slot>.stride }
    #expect(Double(bytes) / 300_000 <= 16)
  }
}
