/// A part of an object.
package struct PlacePiece: Sendable {
  package let bytes: [UInt8]
  /// The length of the whole object.
  package let total: Int64
}
