import CImageShim

/// Rows of a smaller picture, each pixel of which is the average of a cell of pixels; colours are weighed by their alpha.
package final class AveragedRows: RowSource {
  package let layout: PixelLayout
  private let source: any RowSource
  private let across: Int
  private let down: Int
  private var row: [UInt8]
  private var sums: [UInt64]
  private var rowsLeft: Int

  /// - Parameters:
  ///   - source: Not of ink.
  ///   - across: Columns of a cell; those of the last one may be fewer.
  ///   - down: Rows of a cell, likewise.
  package init(_ source: any RowSource, across: Int, down: Int) {
    precondition(source.layout.model != .cmyk, "ink is mixed before it is scaled")
    self.source = source
    self.across = max(1, across)
    self.down = max(1, down)
    var layout = source.layout
    layout.width = (layout.width + self.across - 1) / self.across
    layout.height = (layout.height + self.down - 1) / self.down
    self.layout = layout
    row = [UInt8](repeating: 0, count: source.layout.rowBytes)
    sums = [UInt64](repeating: 0, count: layout.width * layout.model.samples)
    rowsLeft = source.layout.height
  }

  package func read(into made: inout [UInt8]) throws(PixelFailure) {
    precondition(made.count >= layout.rowBytes, "a row of this layout does not fit")
    let rows = min(down, rowsLeft)
    for _ in 0..<rows {
      try source.read(into: &row)
      // Proof: a row of the source's layout is read, and there is a sum for each sample of each of its cells.
      unsafe imgfetch_average_add(row, source.layout.seam, across, &sums)
    }
    rowsLeft -= rows
    // Proof: as above; one row of this layout is written, for which there is room.
    unsafe imgfetch_average_take(&sums, source.layout.seam, across, max(1, rows), &made)
  }
}
