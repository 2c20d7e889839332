import TestSupport
import Testing

/// Bare JPEG XL, whose end is known to its decoder alone; and names of kinds of files that several formats share.
@Suite("Bare codestreams, and names of kinds") struct CodestreamTests {
  @Test("One that is cut is told by its decoder, and one that is whole is whole")
  func cut() throws {
    let server = try TestServer()
    let program = try Program()
    let whole = TestImages.bareJXL
    server.serve("/whole.jxl", whole, type: "image/jxl")
    server.serve("/cut.jxl", Array(whole.dropLast(whole.count / 3)), type: "image/jxl")
    let good = try program.run("get", "--strict", server.url("/whole.jxl"))
    #expect(good.exitCode == 0, "\(good)")
    let bad = try program.run("get", server.url("/cut.jxl"))
    #expect(bad.exitCode == 5 && bad.errorText.contains("truncated JPEG XL"), "\(bad)")
    #expect(program.folder.read("work/cut.jxl") == nil)
    try program.folder.write("work/a.jxl", Array(whole.dropLast(whole.count / 3)))
    #expect(try program.run("inspect", "a.jxl").exitCode == 5)
    let report = try JSON.object(try #require(try program.run("inspect", "--json", "whole.jxl").lines.first))
    #expect(report["whole"] as? Bool == true)
  }

  @Test("Raw images of cameras keep their names, and an SVG's is not that of a packed one")
  func names() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/raw.dng", TestImages.tiff(), type: "image/x-adobe-dng")
    server.serve("/logo.svgz", Array("<svg width='3' height='4'/>".utf8), type: "image/svg+xml")
    let outcome = try program.run("get", "-d", "out", server.url("/raw.dng"), server.url("/logo.svgz"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.read("work/out/raw.dng") == TestImages.tiff())
    #expect(program.folder.read("work/out/logo.svg") != nil)
    let again = try program.run("get", "--no-clobber", "-d", "out", server.url("/raw.dng"))
    #expect(again.exitCode == 0, "\(again)")
  }
}
