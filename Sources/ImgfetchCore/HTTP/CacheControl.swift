/// The parser of Cache-Control directives (RFC 9111 §5.2), which accepts malformed ones.
///
/// A directive with an invalid argument still counts: `no-store=x` forbids storing, and `max-age=soon` makes a response
/// stale instead of leaving its freshness to another rule. Of several directives with one name the first counts
/// (§4.2.1).
package enum CacheControl {
  /// A directive's argument.
  enum Argument: Hashable {
    case absent
    case value([UInt8])
    case malformed

    /// The argument in seconds, at most 2^31, which RFC 9111 §1.2.2 treats as infinity. Nil if it is not a number.
    var seconds: Int? {
      guard case .value(let bytes) = self, let number = DecimalNumber.clamped(bytes) else { return nil }
      return min(number, CacheControl.ever)
    }

    /// The field names of a qualified directive, in lower case; empty if it is unqualified.
    var names: [String] {
      guard case .value(let bytes) = self else { return [] }
      return bytes.split { $0 == UInt8(ascii: ",") || HeaderFields.isBlank($0) }
        .map { String(decoding: $0.map(URLHost.lower), as: UTF8.self) }
    }
  }

  /// 68 years, which stands for infinity.
  static let ever = 1 << 31

  /// Calls `body` with each directive of all Cache-Control fields in order; the name is in lower case.
  static func forEach(in fields: HeaderFields, _ body: (String, Argument) -> Void) {
    fields.forEach("cache-control") { line in
      var scanner = Scanner(rest: line)
      while let (name, argument) = scanner.next() { body(name, argument) }
    }
  }

  private struct Scanner {
    var rest: ArraySlice<UInt8>

    mutating func next() -> (name: String, argument: Argument)? {
      while true {
        rest = rest.drop { $0 == UInt8(ascii: ",") || HeaderFields.isBlank($0) }
        guard !rest.isEmpty else { return nil }
        let name = rest.prefix(while: HeaderFields.isToken)
        rest = rest[name.endIndex...]
        var argument = Argument.absent
        if rest.first == UInt8(ascii: "=") {
          rest = rest.dropFirst()
          argument = rest.first == UInt8(ascii: "\"") ? quoted() : token()
        }
        if skipToComma() { argument = .malformed }
        if !name.isEmpty { return (String(decoding: name.map(URLHost.lower), as: UTF8.self), argument) }
      }
    }

    private mutating func token() -> Argument {
      let value = rest.prefix(while: HeaderFields.isToken)
      rest = rest[value.endIndex...]
      return value.isEmpty ? .malformed : .value([UInt8](value))
    }

    /// A string without an end quote is malformed and extends to the end of the line.
    private mutating func quoted() -> Argument {
      var value: [UInt8] = []
      rest = rest.dropFirst()
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "\"") { return .value(value) }
        if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
          value.append(escaped)
        } else {
          value.append(byte)
        }
      }
      return .malformed
    }

    /// Skips to the next comma outside quotes. Returns whether anything but blanks was skipped.
    private mutating func skipToComma() -> Bool {
      var isGarbage = false
      while let byte = rest.first, byte != UInt8(ascii: ",") {
        if !HeaderFields.isBlank(byte) { isGarbage = true }
        if byte == UInt8(ascii: "\"") { _ = quoted() } else { rest = rest.dropFirst() }
      }
      return isGarbage
    }
  }
}
