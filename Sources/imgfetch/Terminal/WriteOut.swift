/// Writes results by the user's template (`--write-out`). Nothing is added, not even a line break.
struct WriteOut: Sendable {
  private let template: Template<ResultField>

  init(_ template: String) { self.template = Template(template, unescape: true) }

  /// Returns true if the template uses a field. Other fields need not be computed.
  func uses(_ wanted: ResultField) -> Bool {
    template.pieces.contains { piece in if case .field(wanted, _) = piece { true } else { false } }
  }

  /// Missing values are `-`, since a shell's `read` merges empty fields.
  func append(_ row: ResultRow, to buffer: inout [UInt8]) {
    for piece in template.pieces {
      switch piece {
      case .text(let text): buffer.append(text: text)
      case .field(let field, let digits):
        let value = field.value(in: row)
        switch value {
        case .missing: buffer.append(UInt8(ascii: "-"))
        case .source, .fingerprints, .exif: ResultJSON.append(value, to: &buffer)
        case .text(let text): SafeText.append(text, to: &buffer, for: .program)
        case .path(let path): SafeText.append(path: path, to: &buffer)
        case .flaws(let flaws): buffer.append(text: flaws.all.map(\.name).joined(separator: ","))
        case .number(let number) where digits > 0: buffer.append(text: TemplateField.padded(number, digits: digits))
        case .number(let number): buffer.append(number: number)
        case .time(let time): time.appendExactTimestamp(to: &buffer)
        case .milliseconds(let time): buffer.append(milliseconds: time)
        case .flag(let flag): buffer.append(json: flag)
        case .digest(let bytes): buffer.append(hex: bytes)
        case .failure(let error): SafeText.append(error.message, to: &buffer, for: .program)
        }
      }
    }
  }
}

/// A text with fields in braces. Braces around unknown names stand for themselves.
struct Template<Field: RawRepresentable<String> & Sendable>: Sendable {
  enum Piece: Sendable {
    case text(String)
    /// A field, and the minimum number of digits if it is a number.
    case field(Field, digits: Int)
  }

  let pieces: [Piece]

  /// - Parameter unescape: True if `\n`, `\t`, `\r`, `\0` and `\\` have the meaning of a shell's `printf`.
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
