import Foundation
import Testing

@testable import ImgfetchCore

@Suite("Lists of formats") struct FormatListTests {
  @Test("README's table is that of the program")
  func readme() throws {
    let root = String(#filePath.dropLast("/Tests/ImgfetchCoreTests/Imaging/FormatListTests.swift".count))
    let text = try String(contentsOfFile: root + "/README.md", encoding: .utf8)
    let rows = text.split(separator: "\n").filter {
      $0.hasPrefix("  | ") && ($0.hasSuffix(" | yes |") || $0.hasSuffix(" | no |"))
    }
    let wanted = ImageFormat.allCases.map { format in
      let decoder = format.lateLibrary.map { "\($0), where it is installed" } ?? "imgfetch"
      let extensions = format.acceptedExtensions.joined(separator: ", ")
      return "  | \(format.displayName) | \(extensions) | \(decoder) | \(format.isWritten ? "yes" : "no") |"
    }
    #expect(rows.map(String.init) == wanted)
  }
}
