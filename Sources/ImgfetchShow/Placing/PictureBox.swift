import ImgfetchCore

/// The size of a picture on the screen, in cells and in its own pixels. A pure value.
package struct PictureBox: Hashable, Sendable {
  /// The picture's pixels. For half blocks each cell has two of them, one above the other.
  package let size: PixelSize
  /// The cells that they cover, the last ones perhaps in part.
  package let columns: Int
  package let rows: Int

  /// The largest picture of an upright image that keeps its shape, fits `columns` and `rows`, and has no
  /// more pixels than the image.
  /// - Parameter cell: The size of a cell in pixels of the picture.
  package init(_ image: PixelSize, columns: Int, rows: Int, cell: PixelSize = PixelSize(1, 2)) {
    let most = PixelSize(max(1, columns) * max(1, cell.width), max(1, rows) * max(1, cell.height))
    let (width, height) = (Double(max(1, image.width)), Double(max(1, image.height)))
    let scale = min(1, Double(most.width) / width, Double(most.height) / height)
    size = PixelSize(
      min(most.width, max(1, Int((width * scale).rounded()))), min(most.height, max(1, Int((height * scale).rounded())))
    )
    self.columns = (size.width + cell.width - 1) / max(1, cell.width)
    self.rows = (size.height + cell.height - 1) / max(1, cell.height)
  }

  /// The box of a window: its width and two thirds of its height, so that earlier text stays in sight.
  package static func inside(columns: Int, rows: Int) -> (columns: Int, rows: Int) {
    // One column less: some terminals break the line in the last one.
    (max(1, columns - 1), max(1, rows * 2 / 3))
  }
}
