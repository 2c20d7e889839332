/// A response's header fields, decoded only when somebody asks: most answers from a cache are used without them.
package enum FieldSource: Sendable {
  case ready(HeaderFields)
  /// As they are stored with an entry.
  case encoded([UInt8])

  package var fields: HeaderFields {
    switch self {
    case .ready(let fields): fields
    case .encoded(let bytes): HeaderFields(encoded: bytes.span)
    }
  }
}
