/// The plain fields of a request in libcurl's form. One list serves all requests with the same fields, which is nearly
/// all.
final class RequestFieldList {
  private let fields: [(name: String, value: String)]
  let lines: CurlList

  /// Fails if a field would break out of its line, or if memory has run out.
  init(_ fields: [(name: String, value: String)]) throws(TransportFailure) {
    self.fields = fields
    lines = try CurlList(Self.lines(for: fields))
  }

  func holds(_ others: [(name: String, value: String)]) -> Bool {
    Self.isSameArray(fields, others) || fields.elementsEqual(others, by: ==)
  }

  /// True if two arrays share their storage: the requests of a list mostly carry the very array of the one before.
  private static func isSameArray(_ one: [(name: String, value: String)], _ other: [(name: String, value: String)])
    -> Bool
  {
    // Proof: the addresses are compared, not dereferenced. Both arrays are alive, so two different ones have different
    // addresses.
    unsafe one.withUnsafeBufferPointer { one in
      unsafe other.withUnsafeBufferPointer { other in
        unsafe one.baseAddress == other.baseAddress && one.count == other.count
      }
    }
  }

  /// The lines in libcurl's syntax, in which a colon with nothing behind it means "leave this field out" and a
  /// semicolon "send it empty". The Accept that libcurl would add by itself is left out.
  static func lines(for fields: [(name: String, value: String)]) throws(TransportFailure) -> [String] {
    var lines: [String] = []
    var hasAccept = false
    for field in fields {
      guard isSafe(field.name, field.value) else {
        throw TransportFailure(.refusedRequest, "the request field \"\(field.name)\" holds control characters")
      }
      lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
      if field.name.utf8.count == 6, field.name.lowercased() == "accept" { hasAccept = true }
    }
    return hasAccept ? lines : lines + ["Accept:"]
  }

  /// Checks fields given as bytes, whose names are known to be tokens.
  static func areSafe(_ fields: HeaderFields) -> Bool {
    var areSafe = true
    fields.forEachLine { _, value in areSafe = areSafe && RequestText.isFieldValue(value.span) }
    return areSafe
  }

  private static func isSafe(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(HeaderFields.isToken) && RequestText.isFieldValue(value)
  }
}
