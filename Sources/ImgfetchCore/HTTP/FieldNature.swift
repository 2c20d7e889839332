/// The nature of a request's header field, by its name. All that is decided by a field's name is decided by this table:
/// whether it is shown, whether it makes another image, and whether another origin may get it.
package struct FieldNature: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The field is a credential. It goes to the origin of the run's first URL and to no other.
  package static let credential = FieldNature(rawValue: 1)
  /// The value is no secret, and may be shown. Any field that is not known may hold a token.
  package static let shown = FieldNature(rawValue: 2)
  /// The image is the same with the field and without.
  static let sameImage = FieldNature(rawValue: 4)
  /// The field identifies the request, or the program's operator, and does not affect the answer.
  package static let tracing = FieldNature(rawValue: 8)
  /// The field may go along to another origin.
  static let travelling = FieldNature(rawValue: 16)

  private static let known: [String: FieldNature] = {
    var known: [String: FieldNature] = [:]
    for name in ["authorization", "proxy-authorization", "cookie", "cookie2"] { known[name] = .credential }
    for name in ["accept", "accept-language", "user-agent"] { known[name] = [.shown, .sameImage, .travelling] }
    for name in ["referer", "cache-control", "pragma"] { known[name] = [.shown, .sameImage] }
    for name in [
      "from", "dnt", "priority", "traceparent", "tracestate", "baggage", "x-request-id", "x-correlation-id",
    ] {
      known[name] = [.shown, .sameImage, .tracing]
    }
    known["range"] = .shown
    return known
  }()

  /// The nature of the field of that name, in any case of its letters.
  package static func of(_ name: String) -> FieldNature {
    let name = name.lowercased()
    if let nature = known[name] { return nature }
    return name.utf8.starts(with: "accept-".utf8) || name.utf8.starts(with: "if-".utf8) ? .shown : []
  }
}
