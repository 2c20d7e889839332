import CImageShim

/// Rows of a rotated or mirrored picture. All of it is held, since the first row may need every row of the source.
package final class TurnedRows: RowSource {
  package let layout: PixelLayout
  private let source: any RowSource
  private let way: Orientation
  private var picture: [UInt8] = []
  private var given = 0

  /// The bytes held for a picture of this layout: ``PixelLayout/bytes``.
  package init(_ source: any RowSource, _ way: Orientation) {
    self.source = source
    self.way = way
    layout = source.layout.with(way.turned(source.layout.size))
  }

  package func read(into row: inout [UInt8]) throws(PixelFailure) {
    if picture.isEmpty { try turnAll() }
    let start = given * layout.rowBytes
    given += 1
    row.replaceSubrange(0..<layout.rowBytes, with: picture[start..<start + layout.rowBytes])
  }

  private func turnAll() throws(PixelFailure) {
    picture = [UInt8](repeating: 0, count: layout.bytes)
    var row = [UInt8](repeating: 0, count: source.layout.rowBytes)
    for number in 0..<source.layout.height {
      try source.read(into: &row)
      // Proof: the picture has room for all rows of the source, each of which is placed once, within it.
      unsafe imgfetch_place_row(
        row, number, &picture, layout.width, layout.height, layout.bytesPerPixel, way.isTransposed, way.isMirrored,
        way.isFlipped)
    }
  }
}
