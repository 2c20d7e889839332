/// Finds the pictures of a table whose first line names its columns (RFC 4180, with commas, semicolons or TABs): those
/// in the column `url`, else in the one column that holds addresses. The columns `caption`, `alt` and `title` describe
/// them.
package struct TableImages: PictureParser {
  private let separator: UInt8
  /// The name of the column of addresses as it was given, or nil if none was.
  private let wanted: [UInt8]?
  private var found: [PageImage] = []
  private var cells: [[UInt8]] = []
  private var cell: [UInt8] = []
  private var isQuoted = false
  private var wasQuote = false
  /// The names of the columns in lower case, or nil before the first record.
  private var names: [[UInt8]]?
  /// The column of addresses, or nil until a record shows it.
  private var place: Int?
  /// The names of the columns as they are written.
  private var writtenNames: [[UInt8]] = []
  /// The reason why no column can be taken for that of the addresses, or nil if there is none.
  private(set) var flaw: TableFlaw?
  private static let longestCell = 1 << 16
  private static let mostCells = 10_000

  /// - Parameters:
  ///   - separator: The byte between two fields.
  ///   - column: The name of the column of addresses, or nil for `url`, or for the one that holds some.
  package init(separator: UInt8, column: [UInt8]? = nil) {
    self.separator = separator
    wanted = column
  }

  package mutating func feed(_ bytes: Span<UInt8>) {
    for index in bytes.indices where flaw == nil { take(bytes[index]) }
  }

  package mutating func finish() {
    if !cell.isEmpty || !cells.isEmpty { endRecord() }
  }

  package mutating func takeFound() -> [PageImage] { exchange(&found, with: []) }

  private mutating func take(_ byte: UInt8) {
    if isQuoted {
      // A quotation mark that is doubled is one, and any other ends the field.
      if wasQuote {
        wasQuote = false
        if byte == UInt8(ascii: "\"") { return keep(byte) }
        isQuoted = false
      } else if byte == UInt8(ascii: "\"") {
        return wasQuote = true
      } else {
        return keep(byte)
      }
    }
    switch byte {
    case separator: endCell()
    case UInt8(ascii: "\n"): endRecord()
    case UInt8(ascii: "\r"): break
    case UInt8(ascii: "\"") where cell.isEmpty: isQuoted = true
    default: keep(byte)
    }
  }

  private mutating func keep(_ byte: UInt8) {
    if cell.count < Self.longestCell { cell.append(byte) }
  }

  private mutating func endCell() {
    if cells.count < Self.mostCells { cells.append(cell) }
    cell = []
  }

  private mutating func endRecord() {
    endCell()
    defer { cells = [] }
    guard let names else { return takeNames() }
    if place == nil { findPlace() }
    guard let place, place < cells.count else { return }
    let references = Self.addresses(in: TextBytes.trimmed(cells[place][...]))
    guard !references.isEmpty else { return }
    var image = PageImage(.feed, [])
    image.describe { text(of: $0, names) }
    for reference in references {
      image.candidates = [PageImage.Candidate(reference: Array(reference))]
      found.append(image)
    }
  }

  /// The addresses in a cell: one, or all pictures of a product, as shops export them.
  private static func addresses(in cell: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var addresses: [ArraySlice<UInt8>] = []
    var rest = cell
    for at in cell.indices.dropFirst() where separatesAddresses(cell[at - 1]) && TextImages.beginsAddress(cell[at...]) {
      guard addresses.count + 1 < Srcset.mostCandidates else { break }
      addresses.append(withoutSeparators(rest[..<at]))
      rest = rest[at...]
    }
    // A comma at the end of the only one may be its own.
    addresses.append(addresses.isEmpty ? rest : withoutSeparators(rest))
    return addresses.filter { !$0.isEmpty }
  }

  private static func separatesAddresses(_ byte: UInt8) -> Bool { byte <= 0x20 || ",;|".utf8.contains(byte) }

  private static func withoutSeparators(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let last = text.lastIndex { !separatesAddresses($0) }
    return last.map { text[...$0] } ?? []
  }

  private mutating func takeNames() {
    writtenNames = cells.map { Array(TextBytes.trimmed($0[...])) }
    let names = writtenNames.map { $0.map(TextBytes.lowered) }
    let name = wanted ?? Array("url".utf8)
    let plain = name.map(TextBytes.lowered)
    place = writtenNames.firstIndex { $0 == name } ?? names.firstIndex { $0 == plain }
    self.names = names
    if place == nil, wanted != nil { flaw = .missing(among: writtenNames) }
  }

  /// Finds the one column that holds an address in this record.
  private mutating func findPlace() {
    let places = cells.indices.filter { $0 < writtenNames.count && TextImages.address(cells[$0][...], at: 0) != nil }
    if places.count > 1 { flaw = .several(places.map { writtenNames[$0] }) } else { place = places.first }
  }

  private func text(of name: String, _ names: [[UInt8]]) -> [UInt8]? {
    guard let place = names.firstIndex(where: { $0.elementsEqual(name.utf8) }), place < cells.count else { return nil }
    return TextBytes.words(cells[place][...])
  }
}
