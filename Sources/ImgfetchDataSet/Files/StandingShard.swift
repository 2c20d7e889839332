/// A finished shard: its description of itself, and its rows.
package struct StandingShard: Sendable {
  package let name: ShardName
  package let path: String
  package let job: ShardJob
  package let end: ShardEnd
  /// The size in bytes.
  package let size: Int64
  private let bytes: ShardBytes

  package init(_ bytes: ShardBytes, _ name: ShardName, path: String) throws(ShardFailure) {
    self.bytes = bytes
    self.name = name
    self.path = path
    size = bytes.size
    guard size <= ShardEnd.greatest, let facts = try Self.facts(of: bytes) else { throw .foreign(path) }
    (job, end) = facts
    // The rows of failed lines precede the last member, and are no shorter than a line break each.
    let room = size - ShardEnd.distance - Int64(TarFormat.block)
    guard end.failedOffset <= room, end.failedBytes <= room - end.failedOffset,
      Int64(end.listedRows) <= end.failedBytes,
      Int64(end.images) <= size / Int64(TarFormat.block), end.bytes <= size
    else { throw .foreign(path) }
  }

  /// The job and the end in its first and last member, or nil if it has no such members.
  private static func facts(of file: ShardBytes) throws(ShardFailure) -> (job: ShardJob, end: ShardEnd)? {
    let (place, head) = (file.size - ShardEnd.distance, Int64(TarFormat.block))
    guard place >= head, case .member(let first, let length)? = try header(file, at: 0), length < mostOfJob,
      first == ShardJob.member || first == ShardJob.formerMember,
      let job = ShardJob(content: try file.read(head, Int(length))),
      case .member(let last, Int64(ShardEnd.size))? = try header(file, at: place - head),
      last == ShardEnd.member || last == ShardEnd.formerMember,
      let end = ShardEnd(content: try file.read(place, ShardEnd.size))
    else { return nil }
    return (job, end)
  }

  /// A job is some options and the columns of a table.
  private static let mostOfJob: Int64 = 16 << 20

  /// The rows of the lines that failed and of duplicates, one each with its line break.
  package func failedRows(_ take: (ArraySlice<UInt8>) throws(ShardFailure) -> Void) throws(ShardFailure) {
    var offset = end.failedOffset
    let last = end.failedOffset + end.failedBytes
    var piece: [UInt8] = []
    var count = 0
    while offset < last {
      let got = try bytes.read(offset, Int(min(Self.pieceSize, last - offset)))
      if got.isEmpty { throw .foreign(path) }
      offset += Int64(got.count)
      // The bytes from before hold no line break, and are not searched again.
      var (start, searched) = (0, piece.count)
      piece += got
      while let line = piece[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        try take(piece[start...line])
        (start, searched) = (line + 1, line + 1)
        count += 1
      }
      piece.removeFirst(start)
      guard piece.count <= Self.longestRow else { throw .foreign(path) }
    }
    guard count == end.listedRows, piece.isEmpty else { throw .foreign(path) }
  }

  /// Reads all rows: those of its images in the order of the list, then those of the lines that failed.
  ///
  /// - Parameter most: the number of bytes of an image's row to read, from its beginning, or nil for all.
  package func rows(
    first most: Int? = nil, _ take: (ArraySlice<UInt8>) throws(ShardFailure) -> Void
  ) throws(ShardFailure) {
    try rowsAndImages(first: most) { (row, _) throws(ShardFailure) in try take(row) }
  }

  /// Reads all rows, each with the member that holds its image: nil for a line that failed.
  package func rowsAndImages(
    first most: Int? = nil, _ take: (ArraySlice<UInt8>, TarMember?) throws(ShardFailure) -> Void
  ) throws(ShardFailure) {
    var image: TarMember?
    var offset: Int64 = 0
    while offset < size {
      switch try Self.header(bytes, at: offset) {
      case .member(let name, let length):
        let member = TarMember(name: name, offset: offset + Int64(TarFormat.block), size: length)
        guard length <= size - member.offset else { throw .foreign(path) }
        if name == ShardEnd.failedMember || name == ShardEnd.formerFailedMember {
          return try failedRows { (row) throws(ShardFailure) in try take(row, nil) }
        }
        if name.hasSuffix(".json"), !name.hasPrefix("__") {
          guard length <= Int64(Self.longestRow) else { throw .foreign(path) }
          // An image precedes its row.
          try take(try bytes.read(member.offset, min(Int(length), most ?? .max))[...], image)
          image = nil
        } else {
          image = member
        }
        offset = member.end
      case .extended(let length):
        // The header behind the text has no size of its own.
        let text = TarMember(name: "", offset: offset + Int64(TarFormat.block), size: length)
        guard length < Self.mostOfJob,
          let size = TarFormat.extendedSize(in: try bytes.read(text.offset, Int(length))), size >= 0,
          size <= self.size - text.end - Int64(TarFormat.block)
        else { throw .foreign(path) }
        offset = TarMember(name: "", offset: text.end + Int64(TarFormat.block), size: size).end
      case .end, nil: throw .foreign(path)
      }
    }
    // Its lengths lead past the rows of failed lines.
    throw .foreign(path)
  }

  /// The bytes of a member, or nil if there are more of them than may be, or fewer than the shard has said.
  package func bytes(at offset: Int64, size count: Int64, most: Int64) throws(ShardFailure) -> [UInt8]? {
    guard offset >= 0, count >= 0, count <= most, offset <= size, count <= size - offset else { return nil }
    let read = try bytes.read(offset, Int(count))
    return read.count == Int(count) ? read : nil
  }

  /// A row holds what its record held, of at most 16 MiB, each byte of which may take six in JSON.
  private static let longestRow = 6 * (16 << 20) + (1 << 20)
  private static let pieceSize: Int64 = 256 << 10

  private static func header(_ file: ShardBytes, at offset: Int64) throws(ShardFailure) -> TarFormat.Header? {
    TarFormat.parse(try file.read(offset, TarFormat.block))
  }
}
