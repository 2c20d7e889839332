import TestSupport
import Testing

/// Small files that announce more pixels, or more work, than is acceptable.
@Suite("Decompression bombs") struct DecompressionBombTests {
  struct Bomb: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    /// The beginning of the line that `inspect` prints.
    let line: String
    let reason: String

    var testDescription: String { name }
  }

  static let bombs = [
    Bomb(
      name: "bomb.png",
      bytes: TestImages.pngSignature
        + TestImages.pngChunk("IHDR", TestImages.pngHeader(width: 60_000, height: 60_000, depth: 8, colourType: 2))
        + TestImages.pngChunk("IDAT", TestImages.deflated([UInt8](repeating: 0, count: 1 << 20)))
        + TestImages.pngChunk("IEND", []),
      line: "too-large\timage/png\t60000x60000\t", reason: "60000x60000 pixels are more than the limit"),
    Bomb(
      name: "bomb.gif",
      bytes: Array("GIF89a".utf8) + [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0]
        + TestImages.gif(width: 5, height: 5).dropFirst(13),
      line: "too-large\timage/gif\t65535x65535\t", reason: "65535x65535 pixels are more than the limit"),
    Bomb(name: "bomb.jpg", bytes: scans(10_000), line: "damaged\timage/jpeg\t8x8\t", reason: "more than 500 scans"),
  ]

  /// A progressive JPEG whose last scan is repeated.
  private static func scans(_ count: Int) -> [UInt8] {
    let image = TestImages.progressiveJPEG(width: 8, height: 8)
    let start = (0..<image.count - 1).last { image[$0] == 0xFF && image[$0 + 1] == 0xDA } ?? 0
    let scan = Array(image[start...].dropLast(2))
    return Array(image.dropLast(2)) + Array(repeatElement(scan, count: count).joined()) + [0xFF, 0xD9]
  }

  @Test("inspect prints the format, and that it is refused", arguments: bombs)
  func inspect(bomb: Bomb) throws {
    let program = try Program()
    try program.folder.write("work/\(bomb.name)", bomb.bytes)
    let outcome = try program.run("inspect", "--verify", "decode", bomb.name)
    #expect(outcome.exitCode == 5, "\(outcome)")
    #expect(outcome.outputText.hasPrefix(bomb.line), "\(outcome)")
    #expect(outcome.errorText.contains(bomb.reason), "\(outcome)")
    let report = try JSON.object(
      try #require(try program.run("inspect", "--verify", "decode", "--json", bomb.name).lines.first))
    #expect(report["whole"] as? Bool == false)
    #expect(report["mime"] as? String == bomb.line.split(separator: "\t").dropFirst().first.map(String.init))
  }

  @Test("get refuses it, and neither stores nor writes anything", arguments: bombs)
  func get(bomb: Bomb) throws {
    let run = try HostileRun()
    run.server.serve("/\(bomb.name)", bomb.bytes, type: "image/png")
    let verdict = try run.get("/\(bomb.name)", "--verify", "decode")
    #expect(verdict.exit == 5, "\(verdict)")
    #expect(verdict.message.contains(bomb.reason), "\(verdict)")
    #expect(verdict.memory < 60 << 20, "\(verdict)")
    try run.expectNothing()
  }
}
