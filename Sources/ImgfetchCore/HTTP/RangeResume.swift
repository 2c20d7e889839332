/// Whether the rest of a broken-off download may be asked for, and what an answer to that means.
///
/// The rule is one: bytes of two versions are never joined. A part is continued only by a 206 that begins exactly where
/// the part ends, is as long as it says, is of the same total length and bears the same strong validator. Whoever holds the part sees to it that
/// the request goes to the origin from which the part came, and inspects the whole from its first byte.
package struct RangeResume: Hashable, Sendable {
  /// The bytes that are there.
  package var length: Int
  /// The length of the whole, where the first answer told it.
  package var total: Int?
  package var validators: Validators
  /// The `Date` of the answer that the part came from; it decides whether a Last-Modified is strong.
  package var date: WallTime?

  package init(length: Int, total: Int?, validators: Validators, date: WallTime?) {
    self.length = length
    self.total = total
    self.validators = validators
    self.date = date
  }

  /// What to do with an answer's body.
  package enum Decision: Hashable, Sendable {
    /// It is the rest: append it.
    case proceed
    /// It is a whole image: drop the part and take it from its first byte.
    case startOver
    /// It is of no use: drop the part and ask once more, without a range. The reason is for `-v`.
    case askAgain(String)
    /// It answers nothing that was asked. The reason is for the user.
    case refuse(String)
    /// Neither a part nor an image (an error, a redirect): whoever handles such answers decides, the part may stay.
    case unrelated
  }

  /// The fields that ask for the rest; nil where only the whole may be asked for.
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

  /// Judges the answer to a request that bore `requestFields`.
  ///
  /// - Parameter now: for dates with years of two digits.
  package func decide(status: Int, fields: HeaderFields, now: WallTime) -> Decision {
    switch status {
    case 200: return .startOver
    case 206: break
    case 416: return .askAgain("the server has no such range")
    default: return .unrelated
    }
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
    // A body of another length than the range that it claims to be may be anything.
    let lengths = fields.all("content-length")
    guard lengths.allSatisfy({ DecimalNumber.exactly($0.utf8) == bytes.count }) else {
      return .askAgain("the part that the server sent has another length than it says")
    }
    guard validators.stronglyMatch(Validators(fields, now: now)) else {
      return .askAgain("the image has changed")
    }
    return .proceed
  }

  /// Judges the answer to a request for the whole.
  package static func decideWithoutRange(status: Int) -> Decision {
    switch status {
    case 200: .startOver
    case 206: .refuse("the server sent a part of the image although all of it was asked for")
    default: .unrelated
    }
  }
}
