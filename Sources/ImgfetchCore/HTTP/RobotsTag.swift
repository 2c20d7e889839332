/// The demands of `X-Robots-Tag` on the use of images, for every robot or for one by its name: `noai` and `noimageai`
/// for training, unless other directives are looked for.
///
/// A pure value. A field is a list of directives, before which a robot's name and a colon may stand: then they are for
/// that one alone. A field may be repeated.
package struct RobotsTag: Hashable, Sendable {
  /// The directive that asks for the image to be left out, or nil if none does.
  package let refusal: String?

  /// - Parameters:
  ///   - fields: the values of all such fields of an answer.
  ///   - robot: what this robot calls itself; compared without regard to case.
  ///   - directives: those that refuse, in lower case.
  package init(_ fields: [String], robot: String, directives: [String] = ["noai", "noimageai"]) {
    let robot = robot.lowercased()
    for field in fields {
      var isForUs = true
      for part in field.split(separator: ",") {
        var directive = Self.trimmed(part.lowercased())
        // `unavailable_after: DATE` and its like have a colon, too, and are no robot's name.
        if let colon = directive.firstIndex(of: ":"), !Self.takesValue(directive[..<colon]) {
          isForUs = Self.trimmed(String(directive[..<colon])) == robot
          directive = Self.trimmed(String(directive[directive.index(after: colon)...]))
        }
        if isForUs, directives.contains(directive) {
          refusal = directive
          return
        }
      }
    }
    refusal = nil
  }

  private static func takesValue(_ name: Substring) -> Bool {
    ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"].contains(trimmed(String(name)))
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    return String(text)
  }
}

extension HeaderFields {
  /// The reason for refusing an answer with these fields, where the given directives are refused,
  /// or nil if there is none.
  func objection(by directives: [String]) -> String? {
    guard !directives.isEmpty, case let tags = all("x-robots-tag"), !tags.isEmpty else { return nil }
    return RobotsTag(tags, robot: ImgfetchVersion.productToken, directives: directives).refusal.map {
      "its answer has X-Robots-Tag: \($0)"
    }
  }
}
