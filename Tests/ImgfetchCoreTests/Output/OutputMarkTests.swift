import TestSupport
import Testing

@testable import ImgfetchCore

/// The marks of written files.
@Suite struct OutputMarkTests {
  let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  private let mark = OutputMark(
    key: OutputKey(of: "https://example.org/cat.jpg"), hash: ContentHash(high: 1, low: .max), size: 70_000,
    modified: WallTime(nanoseconds: 1_700_000_000_123_456_789))

  @Test func aKeyIsTheBeginningOfItsSHA256() {
    #expect(OutputKey(of: "https://example.org/cat.jpg").hex == "ebec1c51c646ff59fae2d9ed877a1bd1")
  }

  @Test func aMarkSurvivesTheRoundTripAndHasFiftySixBytes() throws {
    #expect(MemoryLayout<AttributeWords>.size == 56)
    #expect(OutputMark(mark.words) == mark)
    // An image's mark is that of version 1.
    #expect(UInt64(littleEndian: mark.words[6]) == 1)
    for nature in [
      OutputMark.Nature.placeholder, .derived(OutputOrigin(source: ContentHash(of: "a"), signature: .max)),
    ] {
      var other = mark
      other.nature = nature
      #expect(OutputMark(other.words) == other && other.words[6] != mark.words[6])
    }
    #expect(
      OutputOrigin(source: ContentHash(of: "a"), signature: 1)
        != OutputOrigin(source: ContentHash(of: "b"), signature: 1))
    #expect(
      OutputOrigin(source: ContentHash(of: "a"), signature: 1)
        != OutputOrigin(source: ContentHash(of: "a"), signature: 2))
    let file = try Descriptor.open(place.path("a"), [.readWrite, .create])
    try file.setAttribute(OutputMark.attribute, to: mark.words)
    #expect(file.attribute(OutputMark.attribute)?.count == 56)
    #expect(try file.words(of: OutputMark.attribute).flatMap(OutputMark.init) == mark)
    let folder = try Descriptor.folder(place.path)
    #expect(try folder.words(of: OutputMark.attribute, on: "a").flatMap(OutputMark.init) == mark)
  }

  @Test func aMarkOfAnotherVersionIsNotRead() throws {
    var words = mark.words
    words[6] = 2
    #expect(OutputMark(words) == nil)
    let file = try Descriptor.open(place.path("a"), [.readWrite, .create])
    for length in [0, 55, 57, 1000] {
      try file.setAttribute(OutputMark.attribute, to: [UInt8](repeating: 1, count: length))
      #expect(try file.words(of: OutputMark.attribute) == nil)
    }
    try file.removeAttribute(OutputMark.attribute)
    #expect(try file.words(of: OutputMark.attribute) == nil)
  }

  @Test func aLinkIsNotFollowedToAMark() throws {
    let file = try Descriptor.open(place.path("a"), [.readWrite, .create])
    try file.setAttribute(OutputMark.attribute, to: mark.words)
    try Command.replace(path: place.path("link"), withLinkTo: "a")
    let folder = try Descriptor.folder(place.path)
    #expect((try? folder.words(of: OutputMark.attribute, on: "link")) == nil)
  }
}
