/// Writes results by the user's template (`--write-out`). Nothing is added, so the template ends its line itself.
struct WriteOut: Sendable {
  private let template: Template<ResultField>

  init(_ template: String) { self.template = Template(template, unescape: true) }

  /// Whether a field is asked for, so that it is worked out only then.
  func uses(_ wanted: ResultField) -> Bool {
    template.pieces.contains { piece in if case .field(wanted, _) = piece { true } else { false } }
  }

  /// Missing values are `-`, which a shell's `read` does not run together as it does empty ones.
  func append(_ row: ReportRow, to buffer: inout [UInt8]) {
    for piece in template.pieces {
      switch piece {
      case .text(let text): buffer.append(text: text)
      case .field(let field, let digits):
        switch field.value(in: row) {
        // An object is no single value, so no template asks for it.
        case .missing, .source: buffer.append(UInt8(ascii: "-"))
        case .text(let text): Harmless.append(text, to: &buffer, for: .program)
        case .path(let path): Harmless.append(path: path, to: &buffer)
        case .number(let number) where digits > 0: buffer.append(text: TemplateField.padded(number, digits: digits))
        case .number(let number): buffer.append(number: number)
        case .milliseconds(let time): buffer.append(milliseconds: time)
        case .flag(let flag): buffer.append(json: flag)
        case .digest(let bytes): buffer.append(hex: bytes)
        case .failure(let error): Harmless.append(error.message, to: &buffer, for: .program)
        }
      }
    }
  }
}
