/// A table of a report, as a value: how its cells are written is decided where it is shown.
package struct ReportTable: Sendable {
  package enum Cell: Sendable, Hashable {
    case text(String)
    case count(Int)
    case bytes(Int64)
    case milliseconds(Double)
    /// A part of 1.
    case share(Double)
    case nothing
  }

  package struct Column: Sendable, Hashable {
    package let name: String
    /// Numbers stand at the right.
    package let isNumber: Bool

    static func text(_ name: String) -> Column { Column(name: name, isNumber: false) }
    static func number(_ name: String) -> Column { Column(name: name, isNumber: true) }
  }

  /// A word that names it in links.
  package let id: String
  package let title: String
  package let columns: [Column]
  package var rows: [[Cell]]
  /// A remark below the table, or empty if there is none.
  package var note = ""
}
