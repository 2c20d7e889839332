import ImgfetchCore

/// Reads rows again that were read before: those of files where they begin, those of streams and shards from an unnamed
/// file, into which they are copied if they may be asked for.
struct RowArchive {
  private var files: [SharedDescriptor] = []
  private var spool: SharedDescriptor?
  private var length: Int64 = 0
  private let temporaryFolder: String

  /// The number that stands for the spool.
  private static let spoolNumber: UInt64 = 0xFFFF
  private static let pieceSize = 4 << 10

  init(temporaryFolder: String) { self.temporaryFolder = temporaryFolder }

  /// - Returns: the number of the file, for places in it.
  mutating func add(_ file: SharedDescriptor) -> UInt64 {
    files.append(file)
    return UInt64(files.count - 1)
  }

  static func place(_ offset: Int64, in file: UInt64) -> UInt64 { file << 48 | UInt64(max(0, offset)) }

  /// Copies a row, and returns its place.
  mutating func keep(_ row: Span<UInt8>) throws(FetchError) -> UInt64 {
    do throws(SystemError) {
      let spool = if let spool { spool } else { SharedDescriptor(try TemporaryFile.anonymous(in: temporaryFolder)) }
      self.spool = spool
      try spool.file.write(row, at: length)
      try spool.file.write([UInt8(ascii: "\n")].span, at: length + Int64(row.count))
    } catch {
      throw FetchError(.file, temporaryFolder, "rows cannot be kept there: \(error.code); make room, or set TMPDIR")
    }
    let place = Self.place(length, in: Self.spoolNumber)
    length += Int64(row.count) + 1
    return place
  }

  /// The row at a place; empty if it is no longer there.
  func row(at place: UInt64) -> [UInt8] {
    let number = place >> 48
    guard let file = number == Self.spoolNumber ? spool : Int(number) < files.count ? files[Int(number)] : nil else {
      return []
    }
    let offset = Int64(place & 0xFFFF_FFFF_FFFF)
    var row: [UInt8] = []
    while true {
      let count = max(Self.pieceSize, row.count)
      let before = row.count
      guard let got = try? file.file.read(into: &row, count: count, at: offset + Int64(before)) else { return [] }
      if let end = row[before...].firstIndex(of: UInt8(ascii: "\n")) { return Array(row[..<end]) }
      if got < count { return row }
    }
  }
}
