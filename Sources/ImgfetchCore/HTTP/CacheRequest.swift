/// A request as a cache sees it: its fields without the conditions that the cache itself adds, and their meaning.
package struct CacheRequest: Sendable {
  package let fields: HeaderFields
  package let directives: RequestDirectives
  package let preconditions: Preconditions

  /// - Parameter now: Needed to parse dates with two-digit years.
  package init(_ fields: HeaderFields, now: WallTime) {
    self.fields = fields
    directives = RequestDirectives(fields)
    preconditions = Preconditions(fields, now: now)
  }

  /// The fields that revalidate a stored response with these validators; the request's own tags are kept (RFC 9111
  /// §4.3.2).
  package func conditions(on validators: Validators) -> HeaderFields {
    var asking = HeaderFields()
    var tags: [EntityTag] = []
    switch preconditions.noneMatch {
    case .any: return asking
    case .tags(let own): tags = own
    case nil: break
    }
    if let tag = validators.etag {
      if !tags.contains(tag) { tags.append(tag) }
      asking.append("If-None-Match", bytes: [UInt8](tags.map(\.bytes).joined(separator: Array(", ".utf8))).span)
    }
    if let date = validators.lastModified, preconditions.noneMatch == nil { asking.append("If-Modified-Since", date) }
    return asking
  }
}

/// The request's own conditions (RFC 9110 §13) and range (§14), and how a stored response answers them.
package struct Preconditions: Hashable, Sendable {
  /// If-None-Match: the tags that the client has.
  package enum NoneMatch: Hashable, Sendable {
    case any
    case tags([EntityTag])
  }

  package let noneMatch: NoneMatch?
  /// If-Modified-Since, or nil if it is missing or not a date.
  package let modifiedSince: WallTime?
  /// The requested range of bytes. Several ranges, or other units, are ignored, as a server may do.
  package let range: ByteRangeAsked?
  /// If-Range: the range counts only if this validator matches.
  private let ifRange: Validators?
  /// True if there is a condition that only the origin can evaluate (RFC 9111 §4.3.2).
  package let isForOrigin: Bool
  /// True if there is a Range field of any kind.
  package let hasRange: Bool

  package init(_ fields: HeaderFields, now: WallTime) {
    isForOrigin = fields.contains("if-match") || fields.contains("if-unmodified-since")
    hasRange = fields.contains("range")
    noneMatch = Self.noneMatch(fields)
    // Ignored beside If-None-Match (RFC 9110 §13.1.3).
    modifiedSince =
      fields.contains("if-none-match")
      ? nil : fields.first("if-modified-since").flatMap { HTTPDate.parse($0, now: now) }
    range = fields.first("range").flatMap(ByteRangeAsked.init)
    ifRange = fields.firstBytes("if-range").map { bytes in
      let date = HeaderFields.text(bytes[...])
      return HTTPDate.parse(date, now: now) == nil
        ? Validators(etag: EntityTag(bytes: bytes), now: now) : Validators(lastModified: date, now: now)
    }
  }

  /// True if a 304 may be the response to these conditions.
  package var areConditional: Bool { noneMatch != nil || modifiedSince != nil }

  package enum Outcome: Hashable, Sendable {
    case whole
    case notModified
    case part(ClosedRange<Int64>)
    case unsatisfiable
  }

  /// Evaluates the conditions against a stored complete response with a body of `length` bytes.
  package func judge(_ stored: StoredAnswer, length: Int64, now: WallTime) -> Outcome {
    guard stored.status == 200 else { return .whole }
    let validators = Validators(stored.fields, now: now)
    switch noneMatch {
    case .any: return .notModified
    case .tags(let tags):
      if let etag = validators.etag, tags.contains(where: { Self.matches(etag, $0) }) { return .notModified }
    case nil:
      if let modifiedSince {
        // Without Last-Modified the response's Date is used (RFC 9111 §4.3.2).
        let changed =
          validators.lastModifiedTime ?? stored.fields.first("date").flatMap { HTTPDate.parse($0, now: now) }
          ?? stored.responseTime
        if changed.seconds <= modifiedSince.seconds { return .notModified }
      }
    }
    guard let range, meansRange(of: stored, validators, now: now) else { return .whole }
    return range.bytes(of: length).map(Outcome.part) ?? .unsatisfiable
  }

  /// True if If-Range, where there is one, matches exactly the stored answer (RFC 9110 §13.1.5).
  package func meansRange(of stored: StoredAnswer, _ validators: Validators, now: WallTime) -> Bool {
    guard let ifRange else { return true }
    if let tag = ifRange.etag { return validators.etag.map(tag.stronglyMatches) ?? false }
    let date = stored.fields.first("date").flatMap { HTTPDate.parse($0, now: now) }
    let dated = Validators(lastModified: validators.lastModified, now: now)
    return dated.isStrongForRange(date: date) && ifRange.lastModifiedTime == dated.lastModifiedTime
  }

  /// Tags are also compared as text: a command line gives in UTF-8 what a server may have sent in Latin-1.
  private static func matches(_ stored: EntityTag, _ asked: EntityTag) -> Bool {
    func text(_ tag: EntityTag) -> String { HeaderFields.text(tag.bytes.dropFirst(tag.isWeak ? 2 : 0)) }
    return stored.weaklyMatches(asked) || text(stored) == text(asked)
  }

  private static func noneMatch(_ fields: HeaderFields) -> NoneMatch? {
    var tags: [EntityTag] = []
    var isThere = false
    var isAny = false
    fields.forEach("if-none-match") { line in
      isThere = true
      for member in members(of: line) {
        if member == [UInt8(ascii: "*")] { isAny = true } else { tags.append(EntityTag(bytes: member)) }
      }
    }
    return isThere ? (isAny ? .any : .tags(tags)) : nil
  }

  /// A list's members; a comma within quotes belongs to its tag.
  private static func members(of line: ArraySlice<UInt8>) -> [[UInt8]] {
    var isQuoted = false
    let members = line.split { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == UInt8(ascii: ",") && !isQuoted
    }
    return members.compactMap { member in
      var member = member.drop(while: HeaderFields.isBlank)
      while let last = member.last, HeaderFields.isBlank(last) { member.removeLast() }
      return member.isEmpty ? nil : [UInt8](member)
    }
  }
}
