/// Images made in code, for every test that needs one: valid, readable by the formats' own tools, and different for
/// each `seed`, so that no two of them can be taken for each other. The same arguments always make the same bytes.
///
/// `jpeg`, `png`, `gif` and `webp` take a size in pixels; `jpeg(bytes:)` and `png(bytes:)` make a file of exactly that
/// many bytes, for tests of limits, memory or broken connections. The options of one format are in its own file
/// (`Images+JPEG.swift` …).
public enum TestImages {
  /// One image of each accepted format, by the extension that it should get.
  public static func samples(seed: UInt64 = 1) -> [(name: String, mime: String, bytes: [UInt8])] {
    [
      ("jpg", "image/jpeg", jpeg(width: 40, height: 30, seed: seed)),
      ("png", "image/png", png(width: 31, height: 17, seed: seed)),
      ("gif", "image/gif", gif(width: 23, height: 19, seed: seed)),
      ("webp", "image/webp", webp(width: 13, height: 21, seed: seed)),
    ]
  }

  /// A page as servers send it in an image's place.
  public static func html(title: String = "Please log in") -> [UInt8] {
    Array(
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>\(title)</title></head>
      <body><h1>\(title)</h1><p>There is no image here.</p></body></html>

      """.utf8)
  }

  /// An EXIF block (a TIFF header and one directory) that says how the image is turned.
  public static func exif(orientation: Int, bigEndian: Bool = false) -> [UInt8] {
    var tiff = Bytes(bigEndian: bigEndian)
    tiff.text(bigEndian ? "MM" : "II")
    tiff.u16(42)
    tiff.u32(8)
    tiff.u16(2)
    // A camera's name first, so that a reader has to pass an entry to find the one it wants.
    for (tag, kind, count, value) in [(0x010F, 2, 4, 0x4142_4300)] {
      tiff.u16(tag)
      tiff.u16(kind)
      tiff.u32(count)
      tiff.u32(value)
    }
    tiff.u16(0x0112)
    tiff.u16(3)
    tiff.u32(1)
    tiff.u16(orientation)
    tiff.u16(0)
    tiff.u32(0)
    return tiff.all
  }
}

extension SeededRandom {
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// Appends `count` of them as bytes, eight for each step: tests ask for megabytes.
  mutating func fill(_ bytes: inout [UInt8], count: Int) {
    bytes.reserveCapacity(bytes.count + count)
    var left = count
    while left > 0 {
      var word = next()
      for _ in 0..<min(8, left) {
        bytes.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
      }
      left -= 8
    }
  }
}

/// Bytes under construction, with numbers in the order of the format.
struct Bytes {
  var all: [UInt8] = []
  let bigEndian: Bool

  init(bigEndian: Bool) { self.bigEndian = bigEndian }

  mutating func u8(_ value: Int) { all.append(UInt8(truncatingIfNeeded: value)) }
  mutating func u16(_ value: Int) { number(value, 2) }
  mutating func u24(_ value: Int) { number(value, 3) }
  mutating func u32(_ value: Int) { number(value, 4) }
  mutating func text(_ value: String) { all.append(contentsOf: value.utf8) }
  mutating func bytes(_ value: some Sequence<UInt8>) { all.append(contentsOf: value) }

  private mutating func number(_ value: Int, _ size: Int) {
    for place in 0..<size { u8(value >> (8 * (bigEndian ? size - 1 - place : place))) }
  }
}
