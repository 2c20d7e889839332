import Foundation
import ImgfetchPages
import Testing

/// The tokenizer tests of html5lib, in the folder that TEST_HTML_TOKENS names. They are no part of the project:
/// without it there are none.
private let conformanceFiles: [URL] = {
  guard let path = ProcessInfo.processInfo.environment["TEST_HTML_TOKENS"], !path.isEmpty else { return [] }
  let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  return names.filter { $0.hasSuffix(".test") }.sorted().map { URL(fileURLWithPath: path).appendingPathComponent($0) }
}()

@Suite("HTML tokenizer beside html5lib's tests")
struct HTMLConformanceTests {
  /// A test of theirs, in one of its initial states.
  struct Case {
    let description: String
    let input: String
    let tokens: [String]
    let content: HTMLContent
    let lastStartTag: String
  }

  @Test("All tests of a file pass, however the page is cut", arguments: conformanceFiles)
  func file(_ file: URL) throws {
    let cases = try Self.cases(in: file)
    #expect(!cases.isEmpty)
    for test in cases {
      for sizes in [[Int.max], [1], [3, 1, 7, 2]] {
        let found = tokens(of: test.input, cutInto: sizes, content: test.content, lastStartTag: test.lastStartTag)
        #expect(found == test.tokens, "\(test.description): \(test.input.debugDescription)")
      }
    }
  }

  private static let contents: [String: HTMLContent] = [
    "Data state": .data, "PLAINTEXT state": .plainText, "RCDATA state": .rcdata, "RAWTEXT state": .rawText,
    "Script data state": .script, "CDATA section state": .cdata,
  ]

  private static func cases(in file: URL) throws -> [Case] {
    let contents = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    return ((contents as? [String: Any])?["tests"] as? [[String: Any]] ?? []).flatMap(cases)
  }

  private static func cases(of test: [String: Any]) -> [Case] {
    let isEscaped = test["doubleEscaped"] as? Bool ?? false
    // A lone half of a surrogate pair is no text in UTF-8: such tests have no input here.
    guard let input = text(test["input"], isEscaped), let output = test["output"] as? [[Any]],
      let tokens = expected(output, isEscaped)
    else { return [] }
    return (test["initialStates"] as? [String] ?? ["Data state"]).compactMap { contents[$0] }.map {
      Case(
        description: test["description"] as? String ?? "", input: input, tokens: tokens, content: $0,
        lastStartTag: test["lastStartTag"] as? String ?? "")
    }
  }

  private static func expected(_ output: [[Any]], _ isEscaped: Bool) -> [String]? {
    var tokens: [String] = []
    for token in output {
      let texts = token.map { text($0, isEscaped) }
      let name = texts.dropFirst().first.flatMap { $0 } ?? ""
      switch token.first as? String {
      case "Character": tokens.append(name.debugDescription)
      case "Comment": tokens.append("<!--\(name.debugDescription)-->")
      case "EndTag": tokens.append("</\(name.debugDescription)>")
      case "StartTag":
        guard let attributes = (token[2] as? [String: Any]) else { return nil }
        var list: [(String, String)] = []
        for (key, value) in attributes {
          guard let key = text(key, isEscaped), let value = text(value, isEscaped) else { return nil }
          list.append((key, value))
        }
        let texts = list.sorted { $0.0 < $1.0 }.map { "\($0.0.debugDescription)=\($0.1.debugDescription)" }
        tokens.append(
          "<" + ([name.debugDescription] + texts + (token.count > 3 ? ["/"] : [])).joined(separator: " ") + ">")
      case "DOCTYPE":
        tokens.append(TokenCollector.doctype(Array(texts[1...3]), isCorrect: token[4] as? Bool ?? false))
      default: return nil
      }
      if token.first as? String != "DOCTYPE", texts.count > 1, texts[1] == nil { return nil }
    }
    return tokens
  }

  /// A text of a test, or nil if it holds half a surrogate pair, or is none.
  private static func text(_ value: Any?, _ isEscaped: Bool) -> String? {
    guard let text = value as? String, isEscaped else { return value as? String }
    var result = String.UnicodeScalarView()
    let scalars = Array(text.unicodeScalars)
    var at = 0
    while at < scalars.count {
      if scalars[at] == "\\", at + 5 < scalars.count, scalars[at + 1] == "u" {
        let digits = String(String.UnicodeScalarView(scalars[(at + 2)...(at + 5)]))
        guard let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) else { return nil }
        result.append(scalar)
        at += 6
      } else {
        result.append(scalars[at])
        at += 1
      }
    }
    return String(result)
  }
}
