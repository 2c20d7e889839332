/// A text with names of fields in braces. A brace that opens none of the known names stands for itself.
struct Template<Field: RawRepresentable<String> & Sendable>: Sendable {
  enum Piece: Sendable {
    case text(String)
    /// A field, and the least number of digits if it is a number.
    case field(Field, digits: Int)
  }

  let pieces: [Piece]

  /// - Parameter unescape: whether `\n`, `\t`, `\r`, `\0` and `\\` in the text mean what they mean in a shell's `printf`.
  init(_ source: String, unescape: Bool = false) {
    var pieces: [Piece] = []
    var text = ""
    var rest = source[...]
    while let first = rest.first {
      if let found = TemplateField(at: rest), let field = Field(rawValue: String(found.name)) {
        if !text.isEmpty { pieces.append(.text(text)) }
        text = ""
        pieces.append(.field(field, digits: found.digits ?? 0))
        rest = found.rest
        continue
      }
      rest.removeFirst()
      if unescape, first == "\\", let meant = rest.first.flatMap(Template.escaped) {
        text.append(meant)
        rest.removeFirst()
      } else {
        text.append(first)
      }
    }
    if !text.isEmpty { pieces.append(.text(text)) }
    self.pieces = pieces
  }

  private static func escaped(_ letter: Character) -> Character? {
    switch letter {
    case "n": "\n"
    case "t": "\t"
    case "r": "\r"
    case "0": "\0"
    case "\\": "\\"
    default: nil
    }
  }
}
