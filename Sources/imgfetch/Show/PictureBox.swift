import ImgfetchCore

/// How large a picture of half blocks is: each cell of the terminal has two of its pixels, one above the other, and is about twice as high
/// as wide. A pure value.
struct PictureBox: Hashable, Sendable {
  /// Columns, and pixels of a row.
  let columns: Int
  /// Pixels, two of them in a line.
  let height: Int
  /// Lines of the terminal.
  var rows: Int { (height + 1) / 2 }

  /// The largest picture of an upright image that keeps its shape, fits so many columns and rows, and has no more pixels than the image.
  init(_ image: PixelSize, columns: Int, rows: Int) {
    let (width, height) = (Double(max(1, image.width)), Double(max(1, image.height)))
    let scale = min(1, Double(max(1, columns)) / width, Double(max(1, rows)) * 2 / height)
    self.columns = min(max(1, columns), max(1, Int((width * scale).rounded())))
    self.height = min(max(1, rows) * 2, max(1, Int((height * scale).rounded())))
  }

  var size: PixelSize { PixelSize(columns, height) }

  /// The box of a window: its width and two thirds of its height, so that what was there before stays in sight.
  static func inside(columns: Int, rows: Int) -> (columns: Int, rows: Int) {
    // One column less: some terminals break the line in the last one.
    (max(1, columns - 1), max(1, rows * 2 / 3))
  }
}
