import ImgfetchCore
import Testing
import TestSupport

@Suite("Damaged JPEGs are refused")
struct JPEGWalkTests {
  /// The place of the n-th marker of this kind. The samples contain no other such pair of bytes.
  private func place(of mark: UInt8, in bytes: [UInt8], number: Int = 0) throws -> Int {
    try #require(bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == mark }.dropFirst(number).first)
  }

  /// The segment at a place, with its marker.
  private func segment(at place: Int, in bytes: [UInt8]) -> Range<Int> {
    place..<place + 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
  }

  private func without(_ mark: UInt8, _ bytes: [UInt8], number: Int = 0) throws -> [UInt8] {
    var bytes = bytes
    bytes.removeSubrange(segment(at: try place(of: mark, in: bytes, number: number), in: bytes))
    return bytes
  }

  @Test func missingParts() throws {
    let image = TestImages.jpeg()
    #expect(damage(try without(0xDB, image)) == "a scan without its quantisation table")
    #expect(damage(try without(0xC4, image)) == "a scan without its Huffman table")
    #expect(damage(try without(0xC0, image)) == "a scan before the frame header")
    #expect(damage([0xFF, 0xD8, 0xFF, 0xD9] + image) == "it ends without an image")
    let scan = try place(of: 0xDA, in: image)
    #expect(damage(Array(image[..<scan]) + [0xFF, 0xD9]) == "it ends without an image")
  }

  @Test func motionJPEGHasNoHuffmanTables() throws {
    let bare = try without(0xC4, try without(0xC4, TestImages.jpeg()))
    #expect(refusal(bare) == nil)
    let progressive = try without(0xC4, try without(0xC4, TestImages.progressiveJPEG()))
    #expect(damage(progressive) == "a scan without its Huffman table")
  }

  @Test func secondFrameHeader() throws {
    let image = TestImages.jpeg()
    let header = segment(at: try place(of: 0xC0, in: image), in: image)
    let bytes = inserted(Array(image[header]), into: image, at: header.upperBound)
    #expect(damage(bytes) == "a second frame header")
  }

  @Test func componentWithoutAScan() throws {
    let image = TestImages.jpeg { $0.progressive = true }
    // Its first scan has the first values of all components; the others only refine them.
    let (first, second) = (try place(of: 0xDA, in: image), try place(of: 0xDA, in: image, number: 1))
    let bytes = Array(image[..<first]) + image[second...]
    #expect(damage(bytes) == "it ends before each of its components had a scan")
  }

  @Test(arguments: [0xC1, 0xC9, 0xC2, 0xCA] as [UInt8])
  func otherKindsOfFrames(mark: UInt8) throws {
    var image = mark == 0xC2 || mark == 0xCA ? TestImages.progressiveJPEG() : TestImages.jpeg()
    let header = try place(of: mark & 7 == 2 ? 0xC2 : 0xC0, in: image)
    image[header + 1] = mark
    #expect(refusal(image) == nil)
    image[header + 4] = 12
    #expect(try inspected(image).get().bits == 12)
  }

  @Test func losslessFrame() throws {
    var image = TestImages.jpeg(width: 8, height: 8)
    image[try place(of: 0xC0, in: image) + 1] = 0xC3
    // A predictor instead of the first coefficient.
    let scan = segment(at: try place(of: 0xDA, in: image), in: image)
    image[scan.upperBound - 3] = 1
    #expect(refusal(image) == nil)
  }

  @Test func unsupportedKinds() throws {
    for (mark, name) in [(UInt8(0xC5), "a hierarchical JPEG"), (0xDE, "a hierarchical JPEG"), (0xF7, "JPEG-LS")] {
      var image = TestImages.jpeg()
      image[try place(of: 0xC0, in: image) + 1] = mark
      #expect(refusal(image) == .unsupported(name: name))
    }
  }

  @Test func restartMarkers() throws {
    let image = TestImages.jpeg(width: 64, height: 64) { $0.restartInterval = 5 }
    #expect(refusal(image) == nil)
    // A piece is missing: the markers around the hole are not consecutive.
    let (one, two) = (try place(of: 0xD3, in: image), try place(of: 0xD4, in: image))
    #expect(damage(Array(image[..<one]) + image[two...]) == "a restart mark out of its order")
    // Eight are missing: the others are consecutive, but too few.
    let next = try place(of: 0xD3, in: image, number: 1)
    #expect(damage(Array(image[..<one]) + image[next...]) == "a scan with 4 of its 12 restart marks")
    // Some encoders write one after the last unit.
    #expect(refusal(Array(image.dropLast(2)) + [0xFF, 0xD4, 0xFF, 0xD9]) == nil)
    #expect(damage(inserted([0xFF, 0xD0], into: TestImages.jpeg(), at: TestImages.jpeg().count - 2)) != nil)
  }

  @Test func cutDataWithAnEndMarker() throws {
    let image = TestImages.jpeg(width: 400, height: 400) { $0.components = 1 }
    let scan = segment(at: try place(of: 0xDA, in: image), in: image)
    let sewn = Array(image[..<(scan.upperBound + 300)]) + [0xFF, 0xD9]
    #expect(damage(sewn) == "a scan with too little data for its pixels")
  }

  @Test func wrongLengths() throws {
    for mark in [0xDB, 0xC4, 0xC0, 0xDA] as [UInt8] {
      for step in [-1, 1] {
        var image = TestImages.jpeg()
        let low = try place(of: mark, in: image) + 3
        image[low] = UInt8(Int(image[low]) + step)
        // Coded data has no length, so a scan header's length can only be invalid by itself.
        #expect(damage(image) != nil, "mark \(mark), length \(step)")
      }
      var image = TestImages.jpeg()
      let high = try place(of: mark, in: image) + 2
      (image[high], image[high + 1]) = (0, 1)
      #expect(damage(image) != nil)
    }
  }

  @Test func invalidTables() throws {
    var image = TestImages.jpeg()
    let table = try place(of: 0xC4, in: image)
    // More than two codes of one bit.
    image[table + 5] = 3
    #expect(damage(image) == "a Huffman table that cannot be")
    var other = TestImages.jpeg()
    other[try place(of: 0xDB, in: other) + 4] = 0x24
    #expect(damage(other) == "a quantisation table that cannot be")
  }

  @Test func fillBytesBeforeMarkersAreAllowed() throws {
    let image = TestImages.jpeg()
    for mark in [0xDB, 0xDA, 0xD9] as [UInt8] {
      #expect(refusal(inserted([0xFF, 0xFF], into: image, at: try place(of: mark, in: image))) == nil)
    }
  }

  @Test func messagesNameTheReasonAndThePlace() throws {
    let image = TestImages.jpeg()
    let table = try place(of: 0xDB, in: image)
    #expect(
      refusal(inserted([0xFF, 2], into: image, at: table))?.description
        == "damaged JPEG: the mark FF02 is out of place (at byte \(table + 2))")
    #expect(refusal(Array(image.prefix(100)))?.description == "truncated JPEG: it breaks off after 100 bytes")
  }
}
