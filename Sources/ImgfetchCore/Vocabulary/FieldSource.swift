/// A response's header fields. They are decoded when they are read, because most cached answers are used without them.
package enum FieldSource: Sendable {
  /// Indirect, so that copying an answer copies one reference.
  indirect case ready(HeaderFields)
  /// The fields in the form in which an entry stores them.
  case encoded([UInt8])

  package var fields: HeaderFields {
    switch self {
    case .ready(let fields): fields
    case .encoded(let bytes): HeaderFields(encoded: bytes.span)
    }
  }
}
