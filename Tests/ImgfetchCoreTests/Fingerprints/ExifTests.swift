import Testing
import TestSupport

@testable import ImgfetchCore

@Suite("Exif")
struct ExifTests {
  /// A value of a tag: its kind, how many, and its bytes.
  private enum Value {
    case text(String)
    case short(Int)
    case fractions([(Int, Int)])
    case byte(Int)

    var head: (kind: Int, count: Int) {
      switch self {
      case .text(let text): (2, text.utf8.count + 1)
      case .short: (3, 1)
      case .fractions(let all): (5, all.count)
      case .byte: (1, 1)
      }
    }

    func bytes(_ number: (Int, Int) -> [UInt8]) -> [UInt8] {
      switch self {
      case .text(let text): Array(text.utf8) + [0]
      case .short(let value): number(value, 2)
      case .fractions(let all): all.flatMap { number($0.0, 4) + number($0.1, 4) }
      case .byte(let value): [UInt8(value)]
      }
    }
  }

  /// A block of an image directory, and those of camera and position that it points to.
  private func block(
    _ image: [(Int, Value)], camera: [(Int, Value)] = [], position: [(Int, Value)] = [], bigEndian: Bool
  ) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return bigEndian ? bytes.reversed() : bytes
    }
    func directory(_ tags: [(Int, Value)], pointers: [(Int, Int)] = [], at start: Int) -> [UInt8] {
      let count = tags.count + pointers.count
      var far: [UInt8] = []
      var entries = number(count, 2)
      for (tag, value) in tags {
        let bytes = value.bytes(number)
        entries += number(tag, 2) + number(value.head.kind, 2) + number(value.head.count, 4)
        if bytes.count <= 4 {
          entries += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
        } else {
          entries += number(start + 6 + 12 * count + far.count, 4)
          far += bytes
        }
      }
      for (tag, place) in pointers { entries += number(tag, 2) + number(4, 2) + number(1, 4) + number(place, 4) }
      return entries + number(0, 4) + far
    }
    var pointers = [(0x8769, 0), (0x8825, 0)]
    let first = directory(image, pointers: pointers, at: 8).count
    let second = directory(camera, at: 8 + first)
    pointers = [(0x8769, 8 + first), (0x8825, 8 + first + second.count)]
    return Array((bigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
      + directory(image, pointers: pointers, at: 8) + second + directory(position, at: 8 + first + second.count)
  }

  private func whole(bigEndian: Bool) -> [UInt8] {
    block(
      [
        (0x010F, .text("Canon")), (0x0110, .text("Canon  EOS 80D ")), (0x0112, .short(6)),
        (0x0132, .text("2001:01:01 01:01:01")),
      ],
      camera: [
        (0x829A, .fractions([(1, 250)])), (0x829D, .fractions([(28, 10)])), (0x8827, .short(400)),
        (0x9003, .text("2024:05:01 12:34:56")), (0x9011, .text("+02:00")), (0x920A, .fractions([(50, 1)])),
        (0x9291, .text("07")), (0xA434, .text("EF 50mm\u{1}f/1.8")),
      ],
      position: [
        (1, .text("S")), (2, .fractions([(33, 1), (51, 1), (3540, 100)])), (3, .text("E")),
        (4, .fractions([(151, 1), (12, 1), (40, 1)])), (5, .byte(1)), (6, .fractions([(12, 4)])),
      ], bigEndian: bigEndian)
  }

  @Test(arguments: [false, true]) func allOfItIsRead(bigEndian: Bool) throws {
    let facts = ExifFacts(try ExifReader(whole(bigEndian: bigEndian), .jpeg))
    #expect(facts.camera == "Canon EOS 80D")
    #expect(facts.lens == "EF 50mmf/1.8")
    #expect(facts.time == "2024-05-01T12:34:56.07+02:00")
    #expect(facts.orientation == 6)
    #expect((facts.exposureSeconds, facts.fNumber, facts.iso, facts.focalLength) == (0.004, 2.8, 400, 50))
    #expect((facts.latitude, facts.longitude, facts.altitude) == (-33.8598333300, 151.21111111, -3))
    let details = ImageDetails(fingerprints: [], exif: facts, readsExif: true)
    #expect(ImageDetails(encoded: details.encoded)?.exif == facts)
  }

  @Test func whatIsNotThereOrMakesNoSenseIsNil() throws {
    let empty = ExifFacts(try ExifReader(block([], bigEndian: false), .jpeg))
    #expect(empty == ExifFacts())
    let odd = block(
      [
        (0x010F, .text("NIKON CORPORATION")), (0x0110, .text("D90")), (0x0112, .short(9)), (0x0132, .text("yesterday")),
      ],
      camera: [(0x829A, .fractions([(1, 0)])), (0x9003, .text("0000:00:00 00:00:00")), (0x9011, .text("+02:00"))],
      position: [(1, .text("N")), (2, .fractions([(95, 1), (0, 1), (0, 1)]))], bigEndian: false)
    var expected = ExifFacts()
    expected.camera = "NIKON CORPORATION D90"
    #expect(ExifFacts(try ExifReader(odd, .jpeg)) == expected)
  }

  @Test(
    "A time that no calendar has is none",
    arguments: [
      ("2020:13:01 00:00:00", nil), ("2019:02:29 10:00:00", nil), ("2020:02:29 10:00:00", "2020-02-29T10:00:00"),
      ("2020:04:31 10:00:00", nil), ("2020:05:00 10:00:00", nil), ("2020:01:01 24:00:00", nil),
      ("2016:12:31 23:59:60", "2016-12-31T23:59:60"), ("2020:01:01 10:61:00", nil),
    ] as [(String, String?)])
  func impossibleTimes(text: String, time: String?) throws {
    let block = block([(0x0132, .text(text))], bigEndian: false)
    #expect(ExifFacts(try ExifReader(block, .jpeg)).time == time)
  }

  @Test func noBlockIsTooBroken() throws {
    let whole = whole(bigEndian: false)
    for length in 1..<whole.count { _ = ExifFacts(try ExifReader(Array(whole.prefix(length)), .jpeg)) }
    for place in 0..<whole.count {
      var block = whole
      block[place] ^= 0xFF
      _ = ExifFacts(try ExifReader(block, .jpeg))
    }
  }
}
