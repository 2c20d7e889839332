/// The plain fields of a request, ready for libcurl. One list serves all requests with the same ones, which is nearly all.
final class RequestFieldList {
  private let fields: [(name: String, value: String)]
  let lines: CurlList

  /// Fails where a field would break out of its line, or memory has run out.
  init(_ fields: [(name: String, value: String)]) throws(TransportFailure) {
    self.fields = fields
    lines = try CurlList(Self.lines(for: fields))
  }

  func holds(_ others: [(name: String, value: String)]) -> Bool {
    Self.isSameArray(fields, others) || fields.elementsEqual(others, by: ==)
  }

  /// Whether two arrays are one and the same: the requests of a list mostly bring the very fields of the one before.
  private static func isSameArray(_ one: [(name: String, value: String)], _ other: [(name: String, value: String)])
    -> Bool
  {
    // Proof: the addresses are compared and not followed. Both arrays are alive, so no two of different content have the same.
    unsafe one.withUnsafeBufferPointer { one in
      unsafe other.withUnsafeBufferPointer { other in
        unsafe one.baseAddress == other.baseAddress && one.count == other.count
      }
    }
  }

  /// As libcurl reads them: to it a colon with nothing behind it means "leave this field out", and a semicolon "send it
  /// empty". An Accept that it would add by itself is left out.
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

  /// The same of fields in bytes, in which the names are tokens already.
  static func areSafe(_ fields: HeaderFields) -> Bool {
    var areSafe = true
    fields.forEachLine { _, value in areSafe = areSafe && RequestText.isFieldValue(value.span) }
    return areSafe
  }

  private static func isSafe(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(HeaderFields.isToken) && RequestText.isFieldValue(value)
  }
}
