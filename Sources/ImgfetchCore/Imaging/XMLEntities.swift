/// The entities of an XML document: those that every document has, and the texts that it declares itself.
///
/// Expanding them is counted, and limited: a declared text of a few bytes can stand for gigabytes. Only the
/// beginning of each is kept.
struct XMLEntities: Sendable {
  /// A declaration, of which a text is a part.
  static let longestDeclaration = 64 << 10
  private static let mostDeclared = 64
  private static let mostExpanded = 1 << 20

  /// A declared text.
  private struct Text: Sendable {
    var beginning: [UInt8] = []
    var length = 0

    mutating func append(_ bytes: some Collection<UInt8>, length: Int) {
      beginning += bytes.prefix(XMLEntities.longestKept - beginning.count)
      self.length += length
    }
  }

  /// The length of a text that is kept, which is that of a value.
  private static let longestKept = 256

  /// The texts of the entities. Nil stands for an external text, which is never read.
  private var texts: [[UInt8]: Text?] = [:]
  private var expanded = 0

  /// Reads the content of a declaration, if it is one of an entity.
  mutating func declare(_ declaration: [UInt8]) throws(WalkFault) {
    guard declaration.starts(with: "ENTITY".utf8) else { return }
    var rest = declaration.dropFirst(6).drop(while: XMLWalk.isSpace)
    guard rest.first != UInt8(ascii: "%") else { throw WalkFault("a document type with entities for declarations") }
    let name = Array(rest.prefix { !XMLWalk.isSpace($0) })
    rest = rest.drop { !XMLWalk.isSpace($0) }.drop(while: XMLWalk.isSpace)
    guard texts.count < Self.mostDeclared else { throw WalkFault("more than \(Self.mostDeclared) entities") }
    // The first declaration of a name holds.
    guard texts[name] == nil else { return }
    guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      texts[name] = .some(nil)
      return
    }
    texts[name] = try expand(rest.dropFirst().prefix { $0 != quote })
  }

  /// The text that a declared one stands for. It can refer to those before it only, so there are no circles.
  private mutating func expand(_ text: ArraySlice<UInt8>) throws(WalkFault) -> Text {
    var result = Text()
    var rest = text
    while let byte = rest.popFirst() {
      guard byte != UInt8(ascii: "<") else { throw WalkFault("an entity that holds markup") }
      guard byte == UInt8(ascii: "&") else {
        result.append(CollectionOfOne(byte), length: 1)
        continue
      }
      let name = rest.prefix { $0 != UInt8(ascii: ";") }
      guard name.count < rest.count else { throw WalkFault("an ampersand that begins no reference") }
      rest = rest.dropFirst(name.count + 1)
      let inner = try self.reference(Array(name))
      result.append(inner.beginning, length: inner.length)
    }
    return result
  }

  /// True if a reference stands for something: a character, or what every document or this one declares.
  func knows(_ reference: [UInt8]) -> Bool {
    if reference.first == UInt8(ascii: "#") { return (try? Self.character(reference.dropFirst())) != nil }
    return Self.known.contains { reference.elementsEqual($0.0.utf8) } || texts[reference] != nil
  }

  /// The beginning of what stands for a reference, without its ampersand and its semicolon.
  mutating func text(of reference: [UInt8]) throws(WalkFault) -> [UInt8] { try self.reference(reference).beginning }

  private mutating func reference(_ name: [UInt8]) throws(WalkFault) -> Text {
    if name.first == UInt8(ascii: "#") { return Self.plain(try Self.character(name.dropFirst())) }
    for (known, byte) in Self.known where name.elementsEqual(known.utf8) { return Self.plain([byte]) }
    guard let declared = texts[name] else { throw WalkFault("an entity that is not declared") }
    guard let text = declared else { throw WalkFault("an entity that stands in another file") }
    expanded += text.length
    guard expanded <= Self.mostExpanded else { throw WalkFault("entities that expand to more than 1 MB") }
    return text
  }

  private static func plain(_ bytes: [UInt8]) -> Text { Text(beginning: bytes, length: bytes.count) }

  private static let known: [(String, UInt8)] = [
    ("amp", 0x26), ("lt", 0x3C), ("gt", 0x3E), ("quot", 0x22), ("apos", 0x27),
  ]

  private static func character(_ digits: ArraySlice<UInt8>) throws(WalkFault) -> [UInt8] {
    let isHexadecimal = digits.first == UInt8(ascii: "x")
    let text = String(decoding: isHexadecimal ? digits.dropFirst() : digits, as: UTF8.self)
    let isPlain = text.utf8.first != UInt8(ascii: "+") && text.utf8.first != UInt8(ascii: "-")
    let number = isPlain ? UInt32(text, radix: isHexadecimal ? 16 : 10) : nil
    guard let number, let scalar = Unicode.Scalar(number), number >= 0x20 || [9, 10, 13].contains(number) else {
      throw WalkFault("a character that does not exist")
    }
    return Array(String(scalar).utf8)
  }
}
