import Foundation
import Testing

/// Code on a page is wrong after a year unless it is compiled.
@Suite("Code in the documentation") struct DocumentedCodeTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test(
    "Each block of the tutorials stands as it is in the package that CI builds and runs",
    arguments: [
      "ThumbnailServer", "Prefetching", "OfflineCache",
    ])
  func stands(page: String) throws {
    let documentation = Self.root.appending(path: "Sources/ImgfetchCore/Documentation.docc/\(page).md")
    let consumer = Self.root.appending(path: "Tests/Consumer/Sources/consumer/Documented.swift")
    let compiled = try String(contentsOf: consumer, encoding: .utf8)
    let parts = try String(contentsOf: documentation, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
    #expect(!parts.isEmpty)
    for part in parts {
      let code = part.components(separatedBy: "\n```").first ?? ""
      #expect(compiled.contains(code), "\(code)")
    }
  }
}
