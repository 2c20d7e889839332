/// A source of a picture's rows: a decoder, or a step that derives rows from another source's. Rows are pulled, so that
/// no more of a picture is held than the steps themselves need.
///
/// Must be used by one thread at a time.
package protocol RowSource: AnyObject {
  var layout: PixelLayout { get }

  /// Reads the next row, from the top down. `row` must have room for it.
  func read(into row: inout [UInt8]) throws(PixelFailure)
}

extension ImageDecoder: RowSource {}

extension RowSource {
  /// The bytes of all rows, one after another.
  func all() throws(PixelFailure) -> [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(layout.bytes)
    var row = [UInt8](repeating: 0, count: layout.rowBytes)
    for _ in 0..<layout.height {
      try read(into: &row)
      all += row
    }
    return all
  }
}

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
    layout = source.layout.with(part.size)
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
    layout = inner.with(PixelSize(max(size.width, inner.width), max(size.height, inner.height)))
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
