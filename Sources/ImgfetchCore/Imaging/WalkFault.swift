/// The reason why tables, directories or a document are impossible. The walk that reads them knows the place.
package struct WalkFault: Error {
  package let reason: String
  init(_ reason: String) { self.reason = reason }
}
