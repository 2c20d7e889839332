/// Writes the members of a JSON object. A value that is nil is null.
struct ObjectWriter {
  private var bytes: [UInt8]
  private var isFirst = true

  /// Appends an object. The buffer is the writer's meanwhile, so that nothing is copied.
  static func append(to buffer: inout [UInt8], _ fill: (inout ObjectWriter) -> Void) {
    var object = ObjectWriter(bytes: exchange(&buffer, with: []))
    object.bytes.append(UInt8(ascii: "{"))
    fill(&object)
    object.bytes.append(UInt8(ascii: "}"))
    buffer = object.bytes
  }

  /// Appends an object that has a line for itself.
  static func appendLine(to buffer: inout [UInt8], _ fill: (inout ObjectWriter) -> Void) {
    append(to: &buffer, fill)
    buffer.append(UInt8(ascii: "\n"))
  }

  static func appendArray<Items: Sequence>(
    of items: Items, to buffer: inout [UInt8], _ fill: (inout ObjectWriter, Items.Element) -> Void
  ) {
    buffer.append(UInt8(ascii: "["))
    for (place, item) in items.enumerated() {
      if place > 0 { buffer.append(UInt8(ascii: ",")) }
      append(to: &buffer) { fill(&$0, item) }
    }
    buffer.append(UInt8(ascii: "]"))
  }

  mutating func raw(_ name: String, _ append: (inout [UInt8]) -> Void) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    bytes.append(json: name)
    bytes.append(UInt8(ascii: ":"))
    append(&bytes)
  }

  private mutating func value<Value>(_ name: String, _ value: Value?, _ append: (Value, inout [UInt8]) -> Void) {
    raw(name) { buffer in if let value { append(value, &buffer) } else { buffer.append(text: "null") } }
  }

  mutating func number(_ name: String, _ number: Int64?) { value(name, number) { $1.append(number: $0) } }
  mutating func number(_ name: String, _ number: Int?) { value(name, number) { $1.append(number: $0) } }
  mutating func text(_ name: String, _ text: String?) { value(name, text) { $1.append(json: $0) } }
  mutating func flag(_ name: String, _ flag: Bool?) { value(name, flag) { $1.append(json: $0) } }
  mutating func milliseconds(_ name: String, _ time: Double) { raw(name) { $0.append(milliseconds: time) } }

  mutating func texts(_ name: String, _ texts: [String]?) {
    value(name, texts) { texts, buffer in
      for (place, text) in texts.enumerated() {
        buffer.append(UInt8(ascii: place == 0 ? "[" : ","))
        buffer.append(json: text)
      }
      buffer.append(text: texts.isEmpty ? "[]" : "]")
    }
  }

  mutating func object(_ name: String, _ fill: (inout ObjectWriter) -> Void) {
    raw(name) { Self.append(to: &$0, fill) }
  }

  mutating func array<Items: Sequence>(
    _ name: String, _ items: Items, _ fill: (inout ObjectWriter, Items.Element) -> Void
  ) {
    raw(name) { Self.appendArray(of: items, to: &$0, fill) }
  }
}
