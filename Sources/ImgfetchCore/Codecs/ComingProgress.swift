/// The share of a picture that has come so far. Further is greater.
package struct ComingProgress: Sendable, Hashable, Comparable {
  /// The scan or pass that is coming, from 1 on; all before it have come. With 0, nothing has.
  package var pass: Int
  package var rows: Int
  /// Rows of the whole picture.
  package var height: Int

  package init(pass: Int = 0, rows: Int = 0, height: Int = 0) {
    self.pass = pass
    self.rows = rows
    self.height = height
  }

  package static func < (left: ComingProgress, right: ComingProgress) -> Bool {
    (left.pass, left.rows) < (right.pass, right.rows)
  }
}
