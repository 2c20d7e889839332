/// The reason why it is not known which column of a table holds the addresses. Names are as the table has them.
package enum TableFlaw: Sendable, Equatable {
  /// The column that was asked for is not among these.
  case missing(among: [[UInt8]])
  /// None was asked for, and all of these hold addresses.
  case several([[UInt8]])
}
