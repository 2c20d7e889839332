/// The entities of an XML document: those that every document has, and the texts that it declares itself.
///
/// Expanding them is counted, and limited: a declared text of a few bytes can stand for gigabytes.
struct XMLEntities: Sendable {
  /// A declaration, of which a text is a part.
  static let longestDeclaration = 64 << 10
  private static let mostDeclared = 64
  private static let mostExpanded = 1 << 20

  /// Nil: a text that stands elsewhere, which is never read.
  private var texts: [String: [UInt8]?] = [:]
  private var expanded = 0

  /// Reads the content of a declaration, if it is one of an entity.
  mutating func declare(_ declaration: [UInt8]) throws(XMLFault) {
    guard declaration.starts(with: "ENTITY".utf8) else { return }
    var rest = declaration.dropFirst(6).drop(while: XMLWalk.isSpace)
    guard rest.first != UInt8(ascii: "%") else { throw XMLFault("a document type with entities for declarations") }
    let name = String(decoding: rest.prefix { !XMLWalk.isSpace($0) }, as: UTF8.self)
    rest = rest.drop { !XMLWalk.isSpace($0) }.drop(while: XMLWalk.isSpace)
    guard texts.count < Self.mostDeclared else { throw XMLFault("more than \(Self.mostDeclared) entities") }
    // The first declaration of a name holds.
    guard texts[name] == nil else { return }
    guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      texts[name] = .some(nil)
      return
    }
    texts[name] = try expand(rest.dropFirst().prefix { $0 != quote })
  }

  /// What a declared text stands for. It can refer to those before it only, so there are no circles.
  private mutating func expand(_ text: ArraySlice<UInt8>) throws(XMLFault) -> [UInt8] {
    var result: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte != UInt8(ascii: "<") else { throw XMLFault("an entity that holds markup") }
      guard byte == UInt8(ascii: "&") else {
        result.append(byte)
        continue
      }
      let name = rest.prefix { $0 != UInt8(ascii: ";") }
      guard name.count < rest.count else { throw XMLFault("an ampersand that begins no reference") }
      rest = rest.dropFirst(name.count + 1)
      result += try self.text(of: Array(name))
    }
    return result
  }

  /// What stands for a reference, without its ampersand and its semicolon.
  mutating func text(of reference: [UInt8]) throws(XMLFault) -> [UInt8] {
    let name = String(decoding: reference, as: UTF8.self)
    if name.hasPrefix("#") { return try Self.character(name.dropFirst()) }
    switch name {
    case "amp": return [UInt8(ascii: "&")]
    case "lt": return [UInt8(ascii: "<")]
    case "gt": return [UInt8(ascii: ">")]
    case "quot": return [UInt8(ascii: "\"")]
    case "apos": return [UInt8(ascii: "'")]
    default: break
    }
    guard let declared = texts[name] else { throw XMLFault("an entity that is not declared") }
    guard let text = declared else { throw XMLFault("an entity that stands in another file") }
    expanded += text.count
    guard expanded <= Self.mostExpanded else { throw XMLFault("entities that expand to more than 1 MB") }
    return text
  }

  private static func character(_ digits: Substring) throws(XMLFault) -> [UInt8] {
    let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    guard let number, let scalar = Unicode.Scalar(number), number >= 0x20 || [9, 10, 13].contains(number) else {
      throw XMLFault("a character that does not exist")
    }
    return Array(String(scalar).utf8)
  }
}
