/// The time for which an answer is fresh by its own fields, for the policies that go by age. They follow neither the
/// rules of shared caches nor all of RFC 9111: `s-maxage` and `Age` do not count, and no lifetime is guessed.
///
/// A pure value. It is read from the stored form of the fields, since a hit decodes none of them.
package enum StatedAge: Hashable, Sendable {
  case nothing
  case noStore
  case noCache
  case maxAge(Int)
  /// The time from the stored Date to Expires, in seconds.
  case expires(Int)

  /// - Parameters:
  ///   - fields: as ``HeaderFields/encoded()`` makes them.
  ///   - received: when the answer came, where it has no Date.
  package init(encoded fields: [UInt8], received: WallTime) {
    // Each hit asks, and most answers say nothing.
    var saysSomething = false
    Self.forEachLine(in: fields.span) { line in
      saysSomething = saysSomething || Self.isNamed("cache-control", line) || Self.isNamed("expires", line)
    }
    guard saysSomething else {
      self = .nothing
      return
    }
    var found = HeaderFields()
    Self.forEachLine(in: fields.span) { line in
      let counts =
        Self.isNamed("cache-control", line) || Self.isNamed("date", line) || Self.isNamed("expires", line)
      if counts { _ = found.appendLine(line) }
    }
    self = Self(found, received: received)
  }

  package init(_ fields: HeaderFields, received: WallTime) {
    let directives = ResponseDirectives(fields)
    if directives.noStore {
      self = .noStore
    } else if directives.noCache {
      self = .noCache
    } else if let seconds = directives.maxAge {
      self = .maxAge(seconds)
    } else if let expires = fields.first("expires") {
      let date = fields.first("date").flatMap { HTTPDate.parse($0, now: received) } ?? received
      // A value that is no date, most often `0`, counts as past.
      let end = HTTPDate.parse(expires, now: received) ?? date
      self = .expires(Int(min(max(0, date.seconds(before: end)), Double(CacheControl.ever))))
    } else {
      self = .nothing
    }
  }

  /// The seconds, or nil if the answer states no age.
  package var seconds: Int? {
    switch self {
    case .nothing: nil
    case .noStore, .noCache: 0
    case .maxAge(let seconds), .expires(let seconds): seconds
    }
  }

  private static func forEachLine(in fields: borrowing Span<UInt8>, _ body: (borrowing Span<UInt8>) -> Void) {
    var start = 0
    while start < fields.count {
      let end = fields.place(of: 0x0A, from: start)
      body(fields.extracting(start..<end))
      start = end + 1
    }
  }

  /// True if a line is that of a field. The place of the colon settles it for nearly all lines.
  private static func isNamed(_ name: String, _ line: borrowing Span<UInt8>) -> Bool {
    let count = name.utf8.count
    guard line.count > count, line[count] == UInt8(ascii: ":") else { return false }
    var index = 0
    for letter in name.utf8 {
      if line[index] | 0x20 != letter | 0x20 { return false }
      index += 1
    }
    return true
  }
}

extension HeaderFields {
  /// True if a 304 with these fields changes the time for which Expires says that the answer is valid. Date and Expires
  /// move with nearly every answer, mostly by the same time.
  func changesSpan(by confirmation: HeaderFields, received: WallTime) -> Bool {
    guard confirmation.contains("expires") else { return false }
    var updated = HeaderFields()
    for name in ["cache-control", "date", "expires"] {
      let source = confirmation.contains(name) ? confirmation : self
      source.forEach(name) { updated.append(name, bytes: $0.span) }
    }
    return StatedAge(updated, received: received) != StatedAge(self, received: received)
  }
}

extension StatedAge: CustomStringConvertible {
  /// The words of the field.
  package var description: String {
    switch self {
    case .nothing: "nothing"
    case .noStore: "no-store"
    case .noCache: "no-cache"
    case .maxAge(let seconds): "max-age=\(seconds)"
    case .expires(let seconds): "Expires, \(seconds) s after its Date"
    }
  }
}
