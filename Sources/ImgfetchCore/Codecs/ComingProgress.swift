/// The share of a picture that has come so far. Further is greater.
package struct ComingProgress: Sendable, Hashable, Comparable {
  /// The scan or pass that is coming, from 1 on; all before it have come. With 0, nothing has.
  var pass = 0
  var rows = 0
  /// Rows of the whole picture.
  var height = 0

  package static func < (left: ComingProgress, right: ComingProgress) -> Bool {
    (left.pass, left.rows) < (right.pass, right.rows)
  }
}
