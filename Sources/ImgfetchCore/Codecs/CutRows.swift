/// A part of each row, of a part of the rows.
package final class CutRows: RowSource {
  package let layout: PixelLayout
  private let source: any RowSource
  private var row: [UInt8]
  private let bytes: Range<Int>
  private var rowsAbove: Int

  /// - Parameter part: What is kept; it lies within the source.
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

/// Rows in another layout.
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
