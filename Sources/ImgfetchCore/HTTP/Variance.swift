/// The request fields that a response depends on, by its Vary field (RFC 9111 §4.1).
package enum Variance: Hashable, Sendable {
  /// The response does not depend on any.
  case nothing
  /// Their names, in lower case and sorted.
  case fields([String])
  /// `*`: no other request is ever equivalent.
  case everything

  package init(_ fields: HeaderFields) {
    var names: Set<String> = []
    fields.forEach("vary") { line in
      for name in line.split(whereSeparator: { $0 == UInt8(ascii: ",") || HeaderFields.isBlank($0) }) {
        names.insert(String(decoding: name.map(URLHost.lower), as: UTF8.self))
      }
    }
    self = names.contains("*") ? .everything : names.isEmpty ? .nothing : .fields(names.sorted())
  }

  /// The selecting fields of a request in a normal form: two requests match where these are equal, and their bytes
  /// identify the variant. A field that the request lacks is absent.
  package func selecting(from request: HeaderFields) -> HeaderFields {
    var selected = HeaderFields()
    guard case .fields(let names) = self else { return selected }
    for name in names where request.contains(name) {
      var members: [[UInt8]] = []
      request.forEach(name) { line in members += Self.members(of: line) }
      if Self.isCaseless(name) { members = members.map { $0.map(URLHost.lower) } }
      if Self.isUnordered(name) { members.sort { $0.lexicographicallyPrecedes($1) } }
      let value = [UInt8](members.joined(separator: [UInt8(ascii: ",")]))
      selected.append(name, bytes: value.span)
    }
    return selected
  }

  /// Preferences, in which the weights matter and not the order (RFC 9110 §12.5).
  private static func isUnordered(_ name: String) -> Bool { isCaseless(name) || name == "accept" }

  private static func isCaseless(_ name: String) -> Bool {
    name == "accept-language" || name == "accept-encoding" || name == "accept-charset"
  }

  /// The members of a list without insignificant white space: around commas and semicolons outside quotes.
  private static func members(of line: ArraySlice<UInt8>) -> [[UInt8]] {
    var members: [[UInt8]] = []
    var member: [UInt8] = []
    var isQuoted = false
    var isEscaped = false
    for byte in line {
      if isQuoted {
        member.append(byte)
        if byte == UInt8(ascii: "\""), !isEscaped { isQuoted = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      let isSeparator = byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";")
      if isSeparator { while let last = member.last, HeaderFields.isBlank(last) { member.removeLast() } }
      if byte == UInt8(ascii: ",") {
        if !member.isEmpty { members.append(member) }
        member = []
      } else if !HeaderFields.isBlank(byte) || !(member.isEmpty || member.last == UInt8(ascii: ";")) {
        member.append(byte)
        isQuoted = byte == UInt8(ascii: "\"")
      }
    }
    if !member.isEmpty { members.append(member) }
    return members
  }
}
