/// The marks of templates that scripts fill in: `{{ picture }}`, `{% picture %}`, `<% picture %>`, `${picture}`.
enum TemplateText {
  /// True if a reference holds a field that has yet to be filled in, and so is no address.
  static func isIn(_ reference: [UInt8]) -> Bool {
    // Nearly no address has the first byte of a mark, and two quick looks show that.
    let bytes = reference.span
    guard
      bytes.place(of: UInt8(ascii: "{"), from: 0) < bytes.count
        || bytes.place(of: UInt8(ascii: "<"), from: 0) < bytes.count
    else { return false }
    return reference.indices.dropLast().contains { at in
      switch reference[at] {
      case UInt8(ascii: "{"): reference[at + 1] == UInt8(ascii: "{") || reference[at + 1] == UInt8(ascii: "%")
      case UInt8(ascii: "<"): reference[at + 1] == UInt8(ascii: "%")
      case UInt8(ascii: "$"): reference[at + 1] == UInt8(ascii: "{")
      default: false
      }
    }
  }
}
