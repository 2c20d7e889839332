import Foundation
import Testing

@Suite("The table for those who come from SDWebImage") struct ComingFromTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  @Test("Each row either says why it is not here, or has a check that CI runs, and no check is without a row")
  func rows() throws {
    let page = try text("Sources/ImgfetchCore/Documentation.docc/ComingFrom.md")
    let table = try #require(page.components(separatedBy: "## Coming from SDWebImage").last)
    let rows = table.split(separator: "\n").filter {
      $0.hasPrefix("| ") && !$0.contains("| there |") && !$0.contains("---")
    }
    .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    #expect(rows.count > 70 && rows.allSatisfy { $0.count == 3 && !$0[2].isEmpty })
    let tried = Set(rows.filter { !$0[2].hasPrefix("Not here: ") }.map { $0[0] })
    let checks = try text("Tests/Consumer/Sources/consumer/SDWebImage.swift")
    let named = checks.matches(of: /\("([a-z][a-zA-Z,' -]*)", [a-zA-Z{]/).map { String($0.output.1) }
    #expect(Set(named) == tried)
    #expect(named.count == tried.count)
  }
}
