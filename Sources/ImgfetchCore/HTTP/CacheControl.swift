/// The directives of Cache-Control, read as RFC 9111 §5.2 writes them, in whatever state they come.
///
/// A directive whose argument is garbage is still there: `no-store=x` forbids storing, and `max-age=soon` makes an answer
/// stale rather than fresh by some other rule. Of several with one name the first counts (§4.2.1).
package enum CacheControl {
  /// What stands behind a directive's name.
  enum Argument: Hashable {
    case absent
    case value([UInt8])
    case malformed

    /// Seconds, no more than 2^31, which RFC 9111 §1.2.2 has stand for ever. Nil where it is none.
    var seconds: Int? {
      guard case .value(let bytes) = self, let number = DecimalNumber.clamped(bytes) else { return nil }
      return min(number, CacheControl.ever)
    }

    /// The field names of a qualified directive, in lower case; empty where it is unqualified.
    var names: [String] {
      guard case .value(let bytes) = self else { return [] }
      return bytes.split { $0 == UInt8(ascii: ",") || HeaderFields.isBlank($0) }
        .map { String(decoding: $0.map(URLHost.lower), as: UTF8.self) }
    }
  }

  /// 68 years.
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

    /// One that has no end is malformed, and everything behind its beginning belongs to it.
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

    /// Whether anything stood there that does not belong. A comma within a quoted string ends no directive.
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

/// What a request demands of a cache: its Cache-Control (RFC 9111 §5.2.1), and `Pragma: no-cache` where there is none.
package struct RequestDirectives: Hashable, Sendable {
  package var noCache = false
  package var noStore = false
  package var onlyIfCached = false
  /// The greatest age; garbage is 0, so that it asks the origin rather than nothing.
  package var maxAge: Int?
  /// For how long the answer must still be fresh.
  package var minFresh: Int?
  /// How long it may have been stale; 2^31 where the directive has no argument.
  package var maxStale: Int?
  /// How long it may have been stale where the origin fails (RFC 5861 §4).
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

/// What an answer allows a private cache: its Cache-Control (RFC 9111 §5.2.2, RFC 5861, RFC 8246). The directives for
/// shared caches (`s-maxage`, `proxy-revalidate`) are not ours to obey, and are not read.
package struct ResponseDirectives: Hashable, Sendable {
  package var noStore = false
  /// Unqualified: never without asking the origin.
  package var noCache = false
  /// Qualified (`no-cache="set-cookie"`): the fields, in lower case, that no answer from the cache may have.
  package var noCacheFields: [String] = []
  package var isPublic = false
  package var isPrivate = false
  package var mustRevalidate = false
  package var mustUnderstand = false
  package var immutable = false
  /// Garbage is 0: invalid freshness is none (RFC 9111 §4.2.1).
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
      // Qualified, it is about fields that a shared cache may not have, and allows nothing (§5.2.2.7).
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
