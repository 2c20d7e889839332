import ImgfetchCore
import ImgfetchReport

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

  /// More files are not kept open: a process may have a thousand of them.
  private static let mostFiles = 64

  /// - Returns: the number of the file, for places in it, or nil if its rows are to be copied.
  mutating func add(_ file: SharedDescriptor) -> UInt64? {
    guard files.count < Self.mostFiles else { return nil }
    files.append(file)
    return UInt64(files.count - 1)
  }

  static func place(_ offset: Int64, in file: UInt64) -> UInt64 { file << 48 | UInt64(max(0, offset)) }

  /// Copies a row, and returns its place.
  mutating func keep(_ row: Span<UInt8>, image: ImagePlace? = nil) throws(FetchError) -> UInt64 {
    let head = Self.head(image)
    var record = head
    record.append(copying: row)
    record.append(UInt8(ascii: "\n"))
    do throws(SystemError) {
      let spool = if let spool { spool } else { SharedDescriptor(try TemporaryFile.anonymous(in: temporaryFolder)) }
      self.spool = spool
      try spool.file.write(record.span, at: length)
    } catch {
      throw FetchError(.file, temporaryFolder, "rows cannot be kept there: \(error.code); make room, or set TMPDIR")
    }
    let place = Self.place(length + Int64(head.count), in: Self.spoolNumber)
    length += Int64(record.count)
    return place
  }

  // MARK: Places of images

  /// The numbers before each row in the spool, of eight bytes each.
  private static let numbers = 4

  /// The place of a row's image; zeros if there is none.
  private static func head(_ image: ImagePlace?) -> [UInt8] {
    guard let image else { return [UInt8](repeating: 0, count: 8 * numbers) }
    return [Int64(image.input), Int64(image.shard), image.offset, image.size].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
  }

  /// The place of the image whose row is at a place; nil if it lies in no shard.
  func image(at place: UInt64) -> ImagePlace? {
    let count = 8 * Self.numbers
    guard place >> 48 == Self.spoolNumber, let spool else { return nil }
    var head: [UInt8] = []
    let offset = Int64(place & 0xFFFF_FFFF_FFFF) - Int64(count)
    guard (try? spool.file.read(into: &head, count: count, at: offset)) == count else { return nil }
    let numbers = (0..<Self.numbers).map { number in
      (0..<8).reduce(Int64(0)) { $0 | Int64(head[8 * number + $1]) << (8 * $1) }
    }
    // An image has bytes.
    guard numbers[3] > 0 else { return nil }
    return ImagePlace(input: Int(numbers[0]), shard: Int(numbers[1]), offset: numbers[2], size: numbers[3])
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
