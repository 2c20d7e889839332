import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("ICO") struct ICOWalkTests {
  private let small = TestImages.iconBitmap(width: 8, height: 8, bits: 32)
  private let large = TestImages.iconBitmap(width: 40, height: 20, bits: 8)
  private let png = TestImages.png(width: 30, height: 31)

  @Test("The largest picture counts, whatever its kind and place")
  func largest() throws {
    for pictures in [[small, large], [large, small], [large], [png, large], [small, png, large]] {
      let facts = try inspected(TestImages.ico(pictures)).get()
      let isPNG = pictures.contains(png)
      #expect((facts.format, facts.width, facts.height) == (.ico, isPNG ? 30 : 40, isPNG ? 31 : 20))
      #expect(facts.frames == 1 && facts.trailingBytes == 0)
    }
  }

  @Test("Pictures may stand in another order than in the directory, and two entries may be one")
  func order() throws {
    var bytes = TestImages.ico([large, small])
    let (first, second) = (Array(bytes[6..<22]), Array(bytes[22..<38]))
    bytes.replaceSubrange(6..<38, with: second + first)
    #expect(try inspected(bytes).get().width == 40)
    bytes.replaceSubrange(6..<38, with: first + first)
    #expect(try inspected(bytes).get().trailingBytes == Int64(small.count))
  }

  @Test("A directory that points into itself, beyond the file, or to pictures that overlap is refused")
  func places() {
    var bytes = TestImages.ico([large, small])
    bytes.replaceSubrange(18..<22, with: TestImages.little(8, 4))
    #expect(damage(bytes) == "a picture that stands in the directory, or nowhere")
    bytes.replaceSubrange(18..<22, with: TestImages.little(40, 4))
    #expect(damage(bytes) == "a picture that is neither a bitmap nor a PNG")
    bytes = TestImages.ico([large, small])
    bytes.replaceSubrange(34..<38, with: TestImages.little(1 << 30, 4))
    #expect(refusal(bytes) == .truncated(.ico, at: Int64(bytes.count)))
    bytes = TestImages.ico([large, small])
    bytes.replaceSubrange(34..<38, with: TestImages.little(38 + 50, 4))
    #expect(damage(bytes) == "pictures that overlap")
  }

  @Test("A directory that is wrong about a length is a flaw: the picture knows", arguments: [0, 1, 1 << 30])
  func lengths(length: Int) throws {
    for picture in [large, small, png] {
      for pictures in [[picture], [picture, small]] {
        var bytes = TestImages.ico(pictures)
        bytes.replaceSubrange(14..<18, with: TestImages.little(length, 4))
        let facts = try inspected(bytes).get()
        #expect(facts.flaws.all == [.wrongLength] && facts.trailingBytes == 0)
        #expect(facts.width == (try inspected(TestImages.ico(pictures)).get().width))
        #expect(throws: Never.self) { try PixelCheck.verify(body(bytes), facts) }
        for cut in 0..<bytes.count { #expect(try inspected(bytes, cutAt: [cut]).get() == facts) }
      }
    }
  }

  @Test("Each picture must fit into its place, and be whole")
  func pictures() {
    for picture in [large.dropLast(9), png.dropLast(9), large.prefix(20)] {
      let alone = TestImages.ico([Array(picture)])
      #expect(refusal(alone) == .truncated(.ico, at: Int64(alone.count)))
    }
    #expect(damage(TestImages.ico([Array(large.dropLast(9)), small])) == "pictures that overlap")
    #expect(
      damage(TestImages.ico([[UInt8](repeating: 7, count: 99)])) == "a picture that is neither a bitmap nor a PNG")
    #expect(damage([0, 0, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 50)) == "a directory of 0 pictures")
  }

  @Test("Bombs are refused by their size")
  func bombs() {
    var bytes = TestImages.ico([large])
    bytes.replaceSubrange(26..<34, with: TestImages.little(0x7FFF_FFFF, 4) + TestImages.little(0x7FFF_FFFE, 4))
    guard case .tooManyPixels = refusal(bytes) else {
      Issue.record("it was accepted")
      return
    }
  }
}
