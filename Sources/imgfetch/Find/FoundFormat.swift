import ImgfetchCore
import ImgfetchPages

/// The formats in which found images are printed.
enum FoundFormat: Sendable {
  /// Lines, as `get -i` reads them. `isInternal`: with the field that only this program's own lists have.
  case lines(isInternal: Bool)
  /// A table with TABs, whose first line names its columns.
  case table
  /// One object a line.
  case json

  /// The first line of a table.
  static let header = "url\tcaption\tkind\talt\ttitle\twidth\theight\tpage\treferer\tstem\n"
}
