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

/// A request's demands on a cache: its Cache-Control (RFC 9111 §5.2.1), or `Pragma: no-cache` where there is none.
package struct RequestDirectives: Hashable, Sendable {
  package var noCache = false
  package var noStore = false
  package var onlyIfCached = false
  /// The greatest age in seconds. An invalid argument counts as 0, so that the origin is asked.
  package var maxAge: Int?
  /// The seconds for which the response must still stay fresh.
  package var minFresh: Int?
  /// The seconds for which the response may have been stale, or 2^31 if the directive has no argument.
  package var maxStale: Int?
  /// The same if the origin fails (RFC 5861 §4).
  package var staleIfError: Int?

  /// No demands.
  package init() {}

  package init(_ fields: HeaderFields) {
    CacheControl.forEach(in: fields) { name, argument in
      switch name {
      case "no-cache": noCache = true
      case "no-store": noStore = true
      case "only-if-cached": onlyIfCached = true
      case "max-age": maxAge = maxAge ?? argument.seconds ?? 0
      case "min-fresh": minFresh = minFresh ?? argument.seconds
      case "max-stale": maxStale = maxStale ?? (argument == .absent ? CacheControl.ever : argument.seconds)
      case "stale-if-error": staleIfError = staleIfError ?? argument.seconds
      default: break
      }
    }
    if !fields.contains("cache-control"), let pragma = fields.combined("pragma") {
      noCache = pragma.utf8.split(separator: UInt8(ascii: ",")).contains { member in
        member.filter { !HeaderFields.isBlank($0) }.map(URLHost.lower).elementsEqual("no-cache".utf8)
      }
    }
  }
}

/// The permissions that a response gives a private cache: its Cache-Control (RFC 9111 §5.2.2, RFC 5861, RFC 8246).
/// Directives for shared caches (`s-maxage`, `proxy-revalidate`) do not apply and are ignored.
package struct ResponseDirectives: Hashable, Sendable {
  package var noStore = false
  /// Unqualified: the response must not be used without revalidation.
  package var noCache = false
  /// Qualified (`no-cache="set-cookie"`): names, in lower case, of fields that must not be reused without revalidation.
  package var noCacheFields: [String] = []
  package var isPublic = false
  package var isPrivate = false
  package var mustRevalidate = false
  package var mustUnderstand = false
  package var immutable = false
  /// An invalid argument counts as 0: invalid freshness information means stale (RFC 9111 §4.2.1).
  package var maxAge: Int?
  package var staleWhileRevalidate: Int?
  package var staleIfError: Int?

  /// No directives.
  package init() {}

  package init(_ fields: HeaderFields) {
    CacheControl.forEach(in: fields) { name, argument in
      switch name {
      case "no-store": noStore = true
      case "no-cache":
        if argument.names.isEmpty { noCache = true } else { noCacheFields += argument.names }
      case "public": isPublic = true
      // Qualified, it lists fields that a shared cache must not store, and permits nothing (§5.2.2.7).
      case "private": isPrivate = isPrivate || argument.names.isEmpty
      case "must-revalidate": mustRevalidate = true
      case "must-understand": mustUnderstand = true
      case "immutable": immutable = true
      case "max-age": maxAge = maxAge ?? argument.seconds ?? 0
      case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? argument.seconds
      case "stale-if-error": staleIfError = staleIfError ?? argument.seconds
      default: break
      }
    }
  }
}
