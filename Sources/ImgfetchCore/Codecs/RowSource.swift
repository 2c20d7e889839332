import CImageShim

/// A source of a picture's rows: a decoder, or a step that derives rows from another source's. Rows are pulled, so that
/// no more of a picture is held than the steps themselves need.
///
/// Must be used by one thread at a time.
package protocol RowSource: AnyObject {
  /// The layout of the rows.
  var layout: PixelLayout { get }

  /// Reads the next row, from the top down. `row` must have room for it.
  func read(into row: inout [UInt8]) throws(PixelFailure)
}

extension ImageDecoder: RowSource {}

/// The rows of a part of a picture.
package final class CutRows: RowSource {
  package let layout: PixelLayout
  private let source: any RowSource
  private var row: [UInt8]
  private let bytes: Range<Int>
  private var rowsAbove: Int

  /// - Parameter part: The part; must lie within the source.
  package init(_ source: any RowSource, _ part: PixelRect) {
    self.source = source
    var layout = source.layout
    (layout.width, layout.height) = (part.width, part.height)
    self.layout = layout
    row = [UInt8](repeating: 0, count: source.layout.rowBytes)
    bytes = part.x * layout.bytesPerPixel..<(part.x + part.width) * layout.bytesPerPixel
    rowsAbove = part.y
  }

  package func read(into cut: inout [UInt8]) throws(PixelFailure) {
    while rowsAbove > 0 {
      try source.read(into: &row)
      rowsAbove -= 1
    }
    try source.read(into: &row)
    cut.replaceSubrange(0..<bytes.count, with: row[bytes])
  }
}

/// Rows of a picture with a border of one colour around it.
package final class BorderedRows: RowSource {
  package let layout: PixelLayout
  private let source: any RowSource
  private let border: [UInt8]
  private let bytes: Range<Int>
  private let rows: Range<Int>
  private var row: [UInt8]
  private var given = 0

  /// - Parameters:
  ///   - size: The size with the border, in the middle of which the picture stands; no smaller than that.
  ///   - colour: Red, green and blue; all the same for a grey picture.
  package init(_ source: any RowSource, _ size: PixelSize, colour: [UInt8]) {
    self.source = source
    let inner = source.layout
    var layout = inner
    (layout.width, layout.height) = (max(size.width, inner.width), max(size.height, inner.height))
    self.layout = layout
    var samples = layout.model.isGrey ? Array(colour.prefix(1)) : colour
    if layout.model.hasAlpha { samples.append(255) }
    // Both bytes of a wider sample are alike, in either order.
    let pixel = layout.bits > 8 ? samples.flatMap { [$0, $0] } : samples
    border = (0..<layout.width).flatMap { _ in pixel }
    let left = (layout.width - inner.width) / 2 * layout.bytesPerPixel
    let top = (layout.height - inner.height) / 2
    bytes = left..<left + inner.rowBytes
    rows = top..<top + inner.height
    row = [UInt8](repeating: 0, count: inner.rowBytes)
  }

  package func read(into made: inout [UInt8]) throws(PixelFailure) {
    made.replaceSubrange(0..<border.count, with: border)
    defer { given += 1 }
    guard rows.contains(given) else { return }
    try source.read(into: &row)
    made.replaceSubrange(bytes, with: row)
  }
}

/// Rows converted to another layout.
package final class ConvertedRows: RowSource {
  package var layout: PixelLayout { converter.to }
  private let source: any RowSource
  private let converter: RowConverter
  private var row: [UInt8]
  private var wide: [UInt8] = []

  package init(_ source: any RowSource, _ converter: RowConverter) {
    self.source = source
    self.converter = converter
    row = [UInt8](repeating: 0, count: source.layout.rowBytes)
  }

  package func read(into made: inout [UInt8]) throws(PixelFailure) {
    try source.read(into: &row)
    converter.convert(row, into: &wide)
    made.replaceSubrange(0..<wide.count, with: wide)
  }
}

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
    var layout = source.layout
    if way.isTransposed { swap(&layout.width, &layout.height) }
    self.layout = layout
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
      unsafe picture.withUnsafeMutableBufferPointer { bytes in
        guard let base = bytes.baseAddress else { return }
        unsafe imgfetch_place_row(
          row, number, base, layout.width, layout.height, layout.bytesPerPixel, way.isTransposed, way.isMirrored,
          way.isFlipped)
      }
    }
  }
}
