import ImgfetchCore

/// A field in braces at the beginning of a text: `{name}`, or `{name:04}` for a number of at least four digits.
struct TemplateField {
  let name: Substring
  /// The text after the colon; nil if there is no colon.
  let format: Substring?
  /// The text after the closing brace.
  let rest: Substring

  /// Nil if the brace does not begin a field.
  init?(at text: Substring) {
    guard text.first == "{" else { return nil }
    let name = text.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    guard !name.isEmpty else { return nil }
    var rest = text[name.endIndex...]
    var format: Substring?
    if rest.first == ":" {
      let text = rest.dropFirst().prefix { $0 != "{" && $0 != "}" }
      format = text
      rest = text.base[text.endIndex...]
    }
    guard rest.first == "}" else { return nil }
    self.name = name
    self.format = format
    self.rest = rest.dropFirst()
  }

  /// The minimum number of digits: 0 without a format; nil for an invalid one.
  var digits: Int? {
    guard let format else { return 0 }
    guard format.first == "0", let digits = Values.digits(format), (1...Self.mostDigits).contains(digits) else {
      return nil
    }
    return digits
  }

  /// The digits of the largest 64-bit number.
  private static let mostDigits = 19

  /// The number with leading zeros.
  static func padded(_ number: some BinaryInteger, digits: Int) -> String {
    let text = String(number)
    return number < 0 ? text : String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
