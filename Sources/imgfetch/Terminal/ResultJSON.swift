import ImgfetchCore

/// Writes results as JSON: one object a line, with all documented fields in their order. Only optional fields may be
/// missing.
struct ResultJSON: Sendable {
  /// The field names with their punctuation (`{"url":`, `,"final_url":`), made once.
  private let fields: [(head: [UInt8], field: ResultField, isOptional: Bool)]
  private let hasHeaders: Bool

  init(headers: Bool = false, checksum: Bool = false) {
    hasHeaders = headers
    var fields: [(head: [UInt8], field: ResultField, isOptional: Bool)] = []
    for field in ResultField.allCases where !field.isOfTemplates && (field != .sha256 || checksum) {
      let head = Array("\(fields.isEmpty ? "{" : ",")\"\(field.rawValue)\":".utf8)
      fields.append((head, field, field.isOptional))
    }
    self.fields = fields
  }

  func append(_ row: ResultRow, to buffer: inout [UInt8]) {
    for (head, field, isOptional) in fields {
      let value = field.value(in: row)
      if isOptional, case .missing = value { continue }
      Self.append(head, value, to: &buffer)
    }
    if hasHeaders { append(row.result.fields, to: &buffer) }
    buffer.append(text: "}\n")
  }

  static func append(_ value: ResultField.Value, to buffer: inout [UInt8]) { append([], value, to: &buffer) }

  /// Appends a field's name with its punctuation, and its value. The two are written at once where the value is short:
  /// a row has some thirty of them.
  private static func append(_ head: [UInt8], _ value: ResultField.Value, to buffer: inout [UInt8]) {
    let room = OutputSpan<UInt8>.mostDigits
    switch value {
    case .missing: buffer.append(head, room: room) { $0.appendNull() }
    case .text(let text), .path(let text): buffer.append(head, json: text)
    case .number(let number): buffer.append(head, room: room) { $0.append(number: number) }
    case .time(let time):
      buffer.append(head, room: WallTime.timestampLength + 2) { output in
        output.append(UInt8(ascii: "\""))
        time.appendExactTimestamp(to: &output)
        output.append(UInt8(ascii: "\""))
      }
    case .milliseconds(let time): buffer.append(head, room: room) { $0.append(milliseconds: time) }
    case .flag(let flag): buffer.append(head, room: room) { $0.append(json: flag) }
    case .digest, .flaws, .fingerprints, .exif, .source, .failure:
      buffer.append(contentsOf: head)
      append(long: value, to: &buffer)
    }
  }

  private static func append(long value: ResultField.Value, to buffer: inout [UInt8]) {
    switch value {
    case .digest(let bytes):
      buffer.append(UInt8(ascii: "\""))
      buffer.append(hex: bytes)
      buffer.append(UInt8(ascii: "\""))
    case .flaws(let flaws): append(flaws, to: &buffer)
    case .fingerprints(let details): append(details, to: &buffer)
    case .exif(let exif): append(exif, to: &buffer)
    case .source(let source): append(source, to: &buffer)
    case .failure(let error): append(error, to: &buffer)
    case .missing, .text, .path, .number, .time, .milliseconds, .flag: break
    }
  }

  static func append(_ details: ImageDetails, to buffer: inout [UInt8]) {
    ObjectWriter.append(to: &buffer) { object in
      for (kind, text) in details.fingerprints { object.text(kind.name, text) }
    }
  }

  /// Appends the facts that the image has, in two levels.
  static func append(_ exif: ExifFacts, to buffer: inout [UInt8]) {
    ObjectWriter.append(to: &buffer) { object in
      for (name, text) in [("camera", exif.camera), ("lens", exif.lens), ("time", exif.time)] {
        if let text { object.text(name, text) }
      }
      if let orientation = exif.orientation { object.number("orientation", orientation) }
      let exposure = [
        ("seconds", exif.exposureSeconds.map { "\($0)" }), ("f_number", exif.fNumber.map { "\($0)" }),
        ("iso", exif.iso.map { "\($0)" }), ("focal_length_mm", exif.focalLength.map { "\($0)" }),
      ]
      let position = [
        ("latitude", exif.latitude.map { "\($0)" }), ("longitude", exif.longitude.map { "\($0)" }),
        ("altitude", exif.altitude.map { "\($0)" }),
      ]
      for (name, numbers) in [("exposure", exposure), ("position", position)] {
        let given = numbers.compactMap { name, number in number.map { (name, $0) } }
        if given.isEmpty { continue }
        object.object(name) { for (name, number) in given { $0.raw(name) { $0.append(text: number) } } }
      }
    }
  }

  private static func append(_ source: SourceImage, to buffer: inout [UInt8]) {
    ObjectWriter.append(to: &buffer) { object in
      object.text("format", source.facts.format.rawValue)
      object.number("width", source.facts.width)
      object.number("height", source.facts.height)
      object.number("bytes", source.bytes)
    }
  }

  /// Appends the names of flaws, in the form that all JSON reports share.
  static func append(_ flaws: ImageFlaws, to buffer: inout [UInt8]) {
    buffer.append(text: "[\(flaws.all.map { "\"\($0.name)\"" }.joined(separator: ","))]")
  }

  /// Appends a failure, in the form that all JSON reports share.
  static func append(_ error: FetchError, to buffer: inout [UInt8]) {
    ObjectWriter.append(to: &buffer) { object in
      object.text("kind", error.kind.rawValue)
      object.text("message", error.message)
      object.flag("transient", error.isTransient)
      object.number("exit", Int64(ExitCode.code(of: error.kind)))
    }
  }

  /// Pairs of name and value, since a name may be repeated.
  private func append(_ fields: HeaderFields?, to buffer: inout [UInt8]) {
    buffer.append(text: ",\"headers\":[")
    var isFirst = true
    for field in fields ?? HeaderFields() {
      buffer.append(text: isFirst ? "[" : ",[")
      isFirst = false
      buffer.append(json: field.name)
      buffer.append(UInt8(ascii: ","))
      buffer.append(json: field.value)
      buffer.append(UInt8(ascii: "]"))
    }
    buffer.append(UInt8(ascii: "]"))
  }
}
