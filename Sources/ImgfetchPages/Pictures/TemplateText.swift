/// The marks of templates that scripts fill in: `{{ picture }}`, `{% picture %}`, `<% picture %>`, `${picture}`.
enum TemplateText {
  /// True if a reference holds a field that has yet to be filled in, and so is no address.
  static func isIn(_ reference: [UInt8]) -> Bool {
    reference.indices.dropLast().contains { at in
      switch (reference[at], reference[at + 1]) {
      case (UInt8(ascii: "{"), UInt8(ascii: "{")), (UInt8(ascii: "{"), UInt8(ascii: "%")),
        (UInt8(ascii: "<"), UInt8(ascii: "%")), (UInt8(ascii: "$"), UInt8(ascii: "{")):
        true
      default: false
      }
    }
  }
}
