/// The reason why a document is not well-formed.
package struct XMLFault: Error {
  package let reason: String
  init(_ reason: String) { self.reason = reason }
}
