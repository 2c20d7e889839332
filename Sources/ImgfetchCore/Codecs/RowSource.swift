/// Where the rows of a picture come from: a decoder, or a step that makes rows of another's rows. Whoever needs a row asks
/// for it, so that no more of a picture is held than the steps themselves need.
///
/// Confined to the one who reads from it.
package protocol RowSource: AnyObject {
  /// How the rows are laid out.
  var layout: PixelLayout { get }

  /// The next row, from the top down. `row` must have room for it.
  func read(into row: inout [UInt8]) throws(PixelFailure)
}

extension ImageDecoder: RowSource {}
