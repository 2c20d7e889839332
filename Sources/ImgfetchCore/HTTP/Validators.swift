/// The ETag and Last-Modified of a response, as received. They identify its version.
package struct Validators: Hashable, Sendable {
  package var etag: EntityTag?
  /// The text as received. It is sent back as it is, since a server may compare it byte by byte.
  package var lastModified: String?
  /// The parsed date, or nil if the text is not a date.
  package var lastModifiedTime: WallTime?

  package init(etag: EntityTag? = nil, lastModified: String? = nil, now: WallTime) {
    self.etag = etag
    self.lastModified = lastModified
    lastModifiedTime = lastModified.flatMap { HTTPDate.parse($0, now: now) }
  }

  /// Longer validators are ignored. Servers would reject the request field that carries them back, most of them from 8
  /// KB on, and then the image could never be fetched again.
  static let byteLimit = 4096

  /// - Parameter now: Needed to parse dates with two-digit years.
  package init(_ fields: HeaderFields, now: WallTime) {
    let tag = fields.firstBytes("etag") ?? []
    let date = fields.first("last-modified") ?? ""
    self.init(
      etag: Self.isUsable(tag.span) ? EntityTag(bytes: tag) : nil,
      lastModified: Self.isUsable(date.utf8Span.span) ? date : nil, now: now)
  }

  /// True if the tag is neither too long nor has control characters, which servers may treat in any way.
  private static func isUsable(_ bytes: borrowing Span<UInt8>) -> Bool {
    1...byteLimit ~= bytes.count && RequestText.isFieldValue(bytes)
  }

  package var isEmpty: Bool { etag == nil && lastModified == nil }

  /// True if equal validators mean equal bytes, so that a part may be continued: a strong ETag or, without any ETag, a
  /// Last-Modified at least a second before the response's `Date` (RFC 9110 §8.8.2.2), since two versions of one second
  /// would have the same. Both times are the origin's, hence from one clock.
  package func isStrongForRange(date: WallTime?) -> Bool {
    if let etag { return etag.isStrong }
    guard let lastModifiedTime, let date else { return false }
    return date.seconds > lastModifiedTime.seconds
  }

  /// True if `other`, from a later response, means that the bytes are still the same.
  package func stronglyMatch(_ other: Validators) -> Bool {
    if let etag { return other.etag.map(etag.stronglyMatches) ?? false }
    guard let lastModifiedTime else { return false }
    return lastModifiedTime == other.lastModifiedTime
  }

  /// The request fields that revalidate this version. Both are sent, as RFC 9110 §13.1.3 recommends: a server without
  /// ETags uses the date.
  package var conditionalFields: HeaderFields {
    var fields = HeaderFields()
    if let etag { fields.append("If-None-Match", bytes: etag.bytes.span) }
    if let lastModified { fields.append("If-Modified-Since", lastModified) }
    return fields
  }

  /// True if a 304 to a request with these validators confirms this version (RFC 9111 §4.3.4). One without validators
  /// does, since only one version was asked about. One with other validators does not.
  package func areConfirmed(by answer: Validators) -> Bool {
    if let other = answer.etag {
      guard let etag else { return false }
      return other.isStrong ? etag.stronglyMatches(other) : etag.weaklyMatches(other)
    }
    guard let other = answer.lastModified else { return true }
    guard let lastModified, lastModified != other else { return true }
    // A server may write the same time in two forms.
    return lastModifiedTime.map { $0 == answer.lastModifiedTime } ?? false
  }
}
