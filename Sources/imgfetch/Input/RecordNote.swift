import ImgfetchCore

/// The facts of a list's record that accompany it to its row, and to the place beside its image.
struct RecordNote: Hashable, Sendable {
  /// Members of a JSON object, each with a comma before it.
  var fields: [UInt8] = []
  /// The text beside the image, empty if the column is; nil without such a column.
  var caption: [UInt8]?
  /// The number of its record in the list from 0, where that is known by itself.
  var record: Int?

  init() {}

  /// The note of a line that makes no sense.
  init(id: String?) { append("id", id) }

  /// The note of a line. It holds all that the line asks for, so that the request can be repeated.
  init(of line: InputLine) {
    append("id", line.tag.id)
    append("name", line.name)
    if let sha256 = line.sha256 {
      append("expected_sha256")
      fields.append(UInt8(ascii: "\""))
      fields.append(hex: sha256)
      fields.append(UInt8(ascii: "\""))
    }
    append("referer", line.referer)
    if !line.mirrors.isEmpty { append("mirrors", line.mirrors.map(\.display).joined(separator: "\t")) }
  }

  private mutating func append(_ name: String, _ text: String?) {
    guard let text else { return }
    append(name)
    fields.append(json: text)
  }

  /// The bytes of a caption's value in JSON, as they become its text: nothing for null.
  static func caption(of value: ArraySlice<UInt8>) -> [UInt8] {
    if value.elementsEqual("null".utf8) { return [] }
    return JSONMembers.text(of: value).map { Array($0.utf8) } ?? Array(value)
  }

  /// Appends the text of an invalid record, without passwords.
  mutating func append(text: [UInt8]) {
    append("text")
    fields.append(json: String(decoding: MaskedText.bytes(text), as: UTF8.self))
  }

  mutating func append(_ name: String) { fields.append(text: ",\"\(name)\":") }
}

extension RecordNote {
  mutating func add(columns: [UInt8]) {
    if columns.isEmpty { return }
    append("columns")
    fields += [UInt8(ascii: "{")] + columns + [UInt8(ascii: "}")]
  }
}
