/// Rows whose pixels are converted to another layout.
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
