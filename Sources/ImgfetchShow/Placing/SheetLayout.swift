import ImgfetchCore

/// The layout of a contact sheet in a window. A pure value.
///
/// All pictures get the same room. They stand side by side from the left, with a line of names below them.
package struct SheetLayout: Hashable, Sendable {
  /// The number of pictures side by side.
  package let across: Int
  /// The most columns and rows of a picture.
  package let columns: Int
  package let rows: Int
  package let hasNames: Bool
  /// The number of rows of pictures on a page.
  package let rowsOfPage: Int

  /// The columns between two pictures.
  static let gap = 1
  /// The columns of a picture and its gap, from which the number of pictures side by side follows.
  private static let usualColumns = 20

  /// - Parameters:
  ///   - count: The number of pictures of the sheet. Few pictures get more room each.
  ///   - window: The window's columns and rows.
  ///   - size: The most columns and rows of a picture that the user wants; nil for those that fit the window.
  package init(count: Int, window: PixelSize, size: PixelSize? = nil, hasNames: Bool = true) {
    self.hasNames = hasNames
    // One column less: some terminals break the line in the last one.
    let width = max(1, window.width - 1)
    let each = size.map { max(1, $0.width) + Self.gap } ?? Self.usualColumns
    let most = max(1, (width + Self.gap) / each)
    across = min(most, max(1, count))
    columns = size.map { min(width, max(1, $0.width)) } ?? max(1, (width + Self.gap) / across - Self.gap)
    // The last line is left for the question after a page.
    let (height, names) = (max(1, window.height - 1), hasNames ? 1 : 0)
    let mostRows = max(1, height - names)
    if let size {
      rows = min(mostRows, max(1, size.height))
      rowsOfPage = max(1, height / (rows + names))
      return
    }
    // Three to four, in cells that are twice as high as wide. Then as many rows as nearly fill the page.
    let usual = min(mostRows, max(1, columns * 3 / 8))
    let nearest = Int((Double(height) / Double(usual + names)).rounded())
    rowsOfPage = max(1, min(nearest, height / (1 + names)))
    rows = max(1, min(usual, height / rowsOfPage - names))
  }

  /// The number of pictures on a page.
  package var perPage: Int { across * rowsOfPage }

  /// The lines of a row of pictures, with their names.
  package var height: Int { rows + (hasNames ? 1 : 0) }

  /// The first column of a picture.
  package func column(of place: Int) -> Int { place * (columns + Self.gap) }
}
