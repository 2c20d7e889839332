/// Decides whether the rest of an interrupted download may be requested, and what the response to that means.
///
/// Bytes of two versions are never joined. A part is continued only by a 206 that begins exactly where the part ends,
/// is as long as it says, and has the same total length and the same strong validator. The caller must send the request
/// to the origin that the part came from, and must inspect the whole image from its first byte.
package struct RangeResume: Hashable, Sendable {
  /// The length of the part.
  package var length: Int
  /// The length of the whole, if the first response said it.
  package var total: Int?
  package var validators: Validators
  /// The `Date` of the part's response; it decides whether a Last-Modified is a strong validator.
  package var date: WallTime?

  /// The use of a response's body.
  package enum Decision: Hashable, Sendable {
    /// Append it: it is the rest.
    case proceed
    /// Drop the part: this is the whole image, from its first byte.
    case startOver
    /// Drop the part and repeat the request without a range. The reason is for `-v`.
    case askAgain(String)
    /// Handle it as any other response (an error, a redirect). The part may be kept.
    case unrelated
  }

  /// The fields that request the rest, or nil if only the whole may be requested.
  package var requestFields: HeaderFields? {
    guard length > 0, total.map({ length < $0 }) ?? true, validators.isStrongForRange(date: date) else { return nil }
    var fields = HeaderFields()
    fields.append("Range", "bytes=\(length)-")
    if let etag = validators.etag {
      fields.append("If-Range", bytes: etag.bytes.span)
    } else if let lastModified = validators.lastModified {
      fields.append("If-Range", lastModified)
    }
    return fields
  }

  /// Judges the response to a request with `requestFields`.
  ///
  /// - Parameter now: Needed to parse dates with two-digit years.
  package func decide(status: Int, fields: HeaderFields, now: WallTime) -> Decision {
    switch status {
    case 200: return .startOver
    case 206: break
    case 416: return .askAgain("the server has no such range")
    // It may be the range that is refused, and would be in each later run.
    case 304, 400, 403, 405, 412: return .askAgain("the server answered \(status) to a request for the rest")
    default: return .unrelated
    }
    // The part that is there is not coded, and a range is one of the coded bytes.
    guard ContentCoding(fields) == .none else { return .askAgain("the server sent the rest in a content coding") }
    let stated = fields.all("content-range")
    guard stated.count == 1, let range = stated.first.flatMap(ContentRange.parse), let bytes = range.bytes else {
      return .askAgain("the server does not say which part it sent")
    }
    guard bytes.lowerBound == length else {
      return .askAgain("the server sent bytes from \(bytes.lowerBound), not from \(length)")
    }
    guard let newTotal = range.total, total == nil || total == newTotal else {
      return .askAgain("the image has another length now")
    }
    // If the body's length contradicts its range, the body may be anything.
    let lengths = fields.all("content-length")
    guard lengths.allSatisfy({ DecimalNumber.exactly($0.utf8) == bytes.count }) else {
      return .askAgain("the part that the server sent has another length than it says")
    }
    guard validators.stronglyMatch(Validators(fields, now: now)) else { return .askAgain("the image has changed") }
    return .proceed
  }
}
