import ImgfetchCore
import Testing
import TestSupport

@Suite("Damaged WebPs are refused")
struct WebPWalkTests {
  private typealias Chunk = (name: String, content: [UInt8])

  private func file(_ chunks: [Chunk]) -> [UInt8] {
    TestImages.riff(chunks.flatMap { TestImages.riffChunk($0.name, $0.content) })
  }

  private func low(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private func header(_ flags: UInt8 = 0, width: Int = 6, height: Int = 4) -> Chunk {
    ("VP8X", [flags, 0, 0, 0] + low(width - 1, 3) + low(height - 1, 3))
  }

  /// The bitstream of a lossless image of this size.
  private func image(width: Int = 6, height: Int = 4, alpha: Bool = false) -> Chunk {
    ("VP8L", Array(TestImages.webp(width: width, height: height) { $0.alpha = alpha }.dropFirst(20)))
  }

  /// A lossy image of 16 x 16.
  private var lossy: Chunk { ("VP8 ", Array(TestImages.plainLossyWebP.dropFirst(20))) }

  private func frame(x: Int = 0, width: Int = 6, height: Int = 4, _ parts: [Chunk]) -> Chunk {
    let head = low(x / 2, 3) + low(0, 3) + low(width - 1, 3) + low(height - 1, 3) + low(100, 3) + [0]
    return ("ANMF", head + parts.flatMap { TestImages.riffChunk($0.name, $0.content) })
  }

  private let animation: Chunk = ("ANIM", [0, 0, 0, 0, 0, 0])

  @Test func stillImages() throws {
    #expect(refusal(file([header(), image()])) == nil)
    #expect(refusal(file([header(), ("what", [1, 2, 3]), image(), ("XMP ", [4])])) == nil)
    #expect(damage(file([header(), image(), image()])) == "an image out of its place")
    #expect(damage(file([header(), header(), image()])) == "a second header")
    #expect(damage(file([header(width: 7), image()])) == "an image that is not as large as announced")
    #expect(damage(file([header()])) == "it ends without an image")
    #expect(damage(file([("what", [1]), image()])) == "its first chunk is neither an image nor a header")
  }

  @Test func transparency() throws {
    let alpha: Chunk = ("ALPH", [0] + [UInt8](repeating: 255, count: 256))
    let facts = try inspected(file([header(0x10, width: 16, height: 16), alpha, lossy])).get()
    #expect((facts.hasAlpha, facts.colourModel) == (true, .ycbcr))
    #expect(try inspected(file([image(alpha: true)])).get().hasAlpha)
    #expect(damage(file([header(), alpha, image()])) == "transparency for a lossless image, which has its own")
    #expect(
      damage(file([header(width: 16, height: 16), ("ALPH", [3, 1]), lossy])) == "transparency in an unknown coding")
    #expect(damage(file([header(), ("ALPH", []), lossy])) == "a chunk of 0 bytes that must have 1")
  }

  @Test func animations() throws {
    let whole = file([header(2), animation, frame([image()]), frame(x: 2, width: 4, [image(width: 4)])])
    #expect(try inspected(whole).get().frames == 2)
    let cases: [([Chunk], String)] = [
      ([header(2), animation], "it ends without an image"),
      ([header(2), frame([image()])], "a frame before the animation"),
      ([header(2), animation, image()], "an image out of its place"),
      ([header(), animation, frame([image()])], "a part of an animation out of its place"),
      ([header(2), animation, frame([])], "a frame without an image"),
      ([header(2), animation, frame([("what", [1])])], "a frame without an image"),
      ([header(2), animation, frame([image(), image()])], "an image out of its place"),
      ([header(2), animation, frame(x: 2, [image()])], "a frame that lies outside of the image"),
      ([header(2), animation, frame(width: 4, [image()])], "an image that is not as large as announced"),
      ([header(2), animation, frame([frame([image()])])], "a part of an animation out of its place"),
    ]
    for (chunks, reason) in cases { #expect(damage(file(chunks)) == reason) }
  }

  @Test func partsOfFramesMustFit() {
    let inner = TestImages.riffChunk("VP8L", image().content)
    let head = frame([]).content
    let cut: Chunk = ("ANMF", head + inner.dropLast(2))
    #expect(damage(file([header(2), animation, cut])) == "a chunk that is longer than what holds it")
    let more: Chunk = ("ANMF", head + inner + [0, 0, 0, 0])
    #expect(damage(file([header(2), animation, more])) == "bytes that belong to no chunk")
  }

  @Test func announcedSizes() {
    var image = TestImages.webp()
    image[4] += 2
    #expect(refusal(image) == .truncated(.webp, at: Int64(image.count)))
    image[4] -= 4
    #expect(damage(image) == "a chunk that is longer than what holds it")
    #expect(damage(Array("RIFF".utf8) + [4, 0, 0, 0] + Array("WEBP".utf8)) == "it announces no content")
    var chunk = TestImages.webp()
    chunk[16] -= 4
    #expect(damage(chunk) != nil)
  }

  @Test func theLastPaddingByteMayBeMissing() {
    // An odd length, counted in the file's length without the padding byte, as some writers do.
    var bytes = file([header(), image(), ("XMP ", [65, 66, 67])])
    bytes.removeLast()
    bytes[4] -= 1
    #expect(refusal(bytes) == nil)
  }

  @Test func invalidBitstreams() {
    let reason = "an image whose header cannot be"
    for (place, value) in [(0, UInt8(1)), (3, 0), (0, 0x80)] {
      var content = lossy.content
      content[place] = value
      #expect(damage(file([("VP8 ", content)])) == reason, "byte \(place)")
    }
    var content = image().content
    content[0] = 0
    #expect(damage(file([("VP8L", content)])) == reason)
    content = image().content
    content[4] |= 0x20
    #expect(damage(file([("VP8L", content)])) == reason)
  }
}
