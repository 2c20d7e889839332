/// Splits a record of a table into its fields: those that begin with a quotation mark end with one, and have it doubled
/// inside (RFC 4180).
enum TableCells {
  static func split(
    _ record: ArraySlice<UInt8>, _ separator: UInt8
  ) throws(InputLine.Flaw) -> [[UInt8]] {
    let (cells, flaw) = read(record, separator)
    if let flaw { throw InputLine.Flaw(reason: flaw) }
    return cells
  }

  /// Splits a record as far as possible: with a flaw, the fields before it are returned.
  static func read(_ record: ArraySlice<UInt8>, _ separator: UInt8) -> (cells: [[UInt8]], flaw: String?) {
    let quote = UInt8(ascii: "\"")
    var cells: [[UInt8]] = []
    var at = record.startIndex
    while true {
      var cell: [UInt8] = []
      if at < record.endIndex, record[at] == quote {
        at += 1
        while true {
          guard let end = record[at...].firstIndex(of: quote) else {
            return (cells, "the quotation mark of field \(cells.count + 1) is not closed")
          }
          cell += record[at..<end]
          at = end + 1
          guard at < record.endIndex, record[at] == quote else { break }
          cell.append(quote)
          at += 1
        }
        guard at == record.endIndex || record[at] == separator else {
          return (cells, "text follows the closing quotation mark of field \(cells.count + 1)")
        }
      } else {
        let end = record[at...].firstIndex(of: separator) ?? record.endIndex
        cell += record[at..<end]
        at = end
      }
      cells.append(cell)
      if at == record.endIndex { return (cells, nil) }
      at += 1
    }
  }
}
