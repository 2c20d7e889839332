/// Finds the pictures of JSON Lines: of each record the one in the member `url`, which `caption`, `alt` and `title`
/// describe; of a record without one, all that any JSON text would name.
struct RecordImages: PictureParser {
  private var reader = JSONReader()
  private var others = JSONImages()
  private let wanted: [UInt8]
  private var found: [PageImage] = []
  /// The objects and arrays that are open.
  private var depth = 0
  /// The name of the record's own member that comes next, in lower case.
  private var member: [UInt8]?
  /// The texts of the record, by their members.
  private var texts: [[UInt8]: [UInt8]] = [:]
  /// True if a record of this line had the member.
  private var hasOwn = false

  private static let described: Set<[UInt8]> = Set(
    ["alt", "title", "caption", "width", "height"].map { Array($0.utf8) })

  /// - Parameter column: The member that holds the address, or nil for `url`.
  init(column: [UInt8]? = nil) { wanted = (column ?? Array("url".utf8)).map(TextBytes.lowered) }

  var fault: String? { reader.fault }

  mutating func feed(_ bytes: Span<UInt8>) {
    var start = 0
    for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
      read(bytes.extracting(start..<index + 1))
      if depth == 0 { endLine() }
      start = index + 1
    }
    read(bytes.extracting(start..<bytes.count))
  }

  mutating func finish() { endLine() }

  mutating func takeFound() -> [PageImage] { exchange(&found, with: []) }

  private mutating func read(_ bytes: Span<UInt8>) {
    // The reader is taken out, since it calls back into this value.
    var reader = reader
    reader.feed(bytes) { take($0) }
    self.reader = reader
    others.feed(bytes)
  }

  private mutating func take(_ event: JSONEvent) {
    switch event {
    case .key(let name): return member = depth == 1 ? name.map(TextBytes.lowered) : nil
    case .beginObject, .beginArray: depth += 1
    case .endObject, .endArray:
      depth -= 1
      if depth == 0 { endRecord() }
    case .string(let text):
      if depth == 1, let member, member == wanted || Self.described.contains(member) { texts[member] = text }
    case .literal(let text):
      if depth == 1, let member, Self.described.contains(member), text.first.map(TextBytes.isDigit) ?? false {
        texts[member] = text
      }
    }
    member = nil
  }

  private mutating func endRecord() {
    defer { texts = [:] }
    guard let reference = texts[wanted].map({ TextBytes.trimmed($0[...]) }), !reference.isEmpty else { return }
    hasOwn = true
    var image = PageImage(.feed, reference)
    image.describe { texts[Array($0.utf8)] }
    found.append(image)
  }

  private mutating func endLine() {
    let named = others.takeFound()
    if !hasOwn { found += named }
    hasOwn = false
  }
}
