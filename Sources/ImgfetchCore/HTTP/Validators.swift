/// An ETag, byte for byte as it came: a server that sends odd ones wants exactly those back.
package struct EntityTag: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Marked as weak: equal tags mean bodies that will do for each other, not equal bytes.
  package var isWeak: Bool { bytes.starts(with: [UInt8(ascii: "W"), UInt8(ascii: "/")]) }

  /// Neither weak nor odd: `"…"`. Only such a tag says that the bytes are the same.
  package var isStrong: Bool {
    let quote = UInt8(ascii: "\"")
    return bytes.count >= 2 && bytes.first == quote && bytes.last == quote
      && !bytes.dropFirst().dropLast().contains(quote)
  }

  /// RFC 9110 §8.8.3.2: the bytes are the same.
  package func stronglyMatches(_ other: EntityTag) -> Bool { isStrong && bytes == other.bytes }

  /// RFC 9110 §8.8.3.2: one will do for the other.
  package func weaklyMatches(_ other: EntityTag) -> Bool {
    bytes.dropFirst(isWeak ? 2 : 0).elementsEqual(other.bytes.dropFirst(other.isWeak ? 2 : 0))
  }
}

/// What tells one version of an image from another: the ETag and Last-Modified of an answer, as they came.
package struct Validators: Hashable, Sendable {
  package var etag: EntityTag?
  /// The text as it came, to be sent back as it is; a server may compare it letter by letter.
  package var lastModified: String?
  /// When that is; nil where the text is no date.
  package var lastModifiedTime: WallTime?

  package init(etag: EntityTag? = nil, lastModified: String? = nil, now: WallTime) {
    self.etag = etag
    self.lastModified = lastModified
    lastModifiedTime = lastModified.flatMap { HTTPDate.parse($0, now: now) }
  }

  /// Longer ones are none: the line in which they would go back is one that servers refuse, most of them from 8 KB on, and
  /// then the image could never be had again.
  static let byteLimit = 4096

  /// - Parameter now: for dates with years of two digits.
  package init(_ fields: HeaderFields, now: WallTime) {
    let tag = fields.firstBytes("etag") ?? []
    let date = fields.first("last-modified") ?? ""
    self.init(
      etag: Self.isUsable(tag.span) ? EntityTag(bytes: tag) : nil,
      lastModified: Self.isUsable(date.utf8Span.span) ? date : nil, now: now)
  }

  /// A validator has no control characters, and what a server makes of one is unknown.
  private static func isUsable(_ bytes: borrowing Span<UInt8>) -> Bool {
    1...byteLimit ~= bytes.count && RequestText.isFieldValue(bytes)
  }

  package var isEmpty: Bool { etag == nil && lastModified == nil }

  /// Whether equal validators mean equal bytes, so that a part may be continued: a strong ETag, or where there is no ETag
  /// a Last-Modified at least a second before the `Date` of its answer (RFC 9110 §8.8.2.2): what was changed twice in
  /// one second would have the same one. Both stamps are the origin's own, hence of one clock.
  package func isStrongForRange(date: WallTime?) -> Bool {
    if let etag { return etag.isStrong }
    guard let lastModifiedTime, let date else { return false }
    return date.seconds > lastModifiedTime.seconds
  }

  /// Whether `other`, of a later answer, says that the bytes are still those of this one.
  package func stronglyMatch(_ other: Validators) -> Bool {
    if let etag { return other.etag.map(etag.stronglyMatches) ?? false }
    guard let lastModifiedTime else { return false }
    return lastModifiedTime == other.lastModifiedTime
  }

  /// The request's fields that ask whether the image is still this one. Both go, as RFC 9110 §13.1.3 would have it: a
  /// server that knows no ETags goes by the date.
  package var conditionalFields: HeaderFields {
    var fields = HeaderFields()
    if let etag { fields.append("If-None-Match", bytes: etag.bytes.span) }
    if let lastModified { fields.append("If-Modified-Since", lastModified) }
    return fields
  }

  /// Whether a 304 in answer to this version's validators is about this version (RFC 9111 §4.3.4). One that names no
  /// validator is: only one version was asked about. One that names another is not to be used.
  package func areConfirmed(by answer: Validators) -> Bool {
    if let other = answer.etag {
      guard let etag else { return false }
      return other.isStrong ? etag.stronglyMatches(other) : etag.weaklyMatches(other)
    }
    guard let other = answer.lastModified else { return true }
    guard let lastModified, lastModified != other else { return true }
    // A server that writes dates in two forms still means one moment.
    return lastModifiedTime.map { $0 == answer.lastModifiedTime } ?? false
  }
}
