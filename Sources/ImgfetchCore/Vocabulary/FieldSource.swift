/// A response's header fields, decoded only when somebody asks: most answers from a cache are used without them.
package enum FieldSource: Sendable {
  /// In a place of their own: an answer is copied from hand to hand, and this is one reference.
  indirect case ready(HeaderFields)
  /// As they are stored with an entry.
  case encoded([UInt8])

  package var fields: HeaderFields {
    switch self {
    case .ready(let fields): fields
    case .encoded(let bytes): HeaderFields(encoded: bytes.span)
    }
  }
}
