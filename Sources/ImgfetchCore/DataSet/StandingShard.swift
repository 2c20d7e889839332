/// A shard that is there: what it says of itself, and its rows.
package struct StandingShard: Sendable {
  package let name: ShardName
  package let path: String
  package let job: ShardJob
  package let end: ShardEnd
  /// Its size in bytes.
  package let size: Int64
  private let bytes: ShardBytes

  package init(_ bytes: ShardBytes, _ name: ShardName, path: String) throws(ShardFailure) {
    self.bytes = bytes
    self.name = name
    self.path = path
    size = bytes.size
    guard let facts = try Self.facts(of: bytes) else { throw .foreign(path) }
    (job, end) = facts
  }

  /// What its first and its last member say; nil if it has no such members.
  private static func facts(of file: ShardBytes) throws(ShardFailure) -> (job: ShardJob, end: ShardEnd)? {
    let (place, head) = (file.size - ShardEnd.distance, Int64(TarFormat.block))
    guard place >= head, case .member(ShardJob.member, let length)? = try header(file, at: 0), length < mostOfJob,
      let job = ShardJob(content: try file.read(head, Int(length))),
      case .member(ShardEnd.member, Int64(ShardEnd.size))? = try header(file, at: place - head),
      let end = ShardEnd(content: try file.read(place, ShardEnd.size))
    else { return nil }
    return (job, end)
  }

  /// A job is some options and the columns of a table.
  private static let mostOfJob: Int64 = 16 << 20

  /// The rows of the lines that failed, one each with its line break.
  package func failedRows(_ take: (ArraySlice<UInt8>) throws(ShardFailure) -> Void) throws(ShardFailure) {
    guard end.failedOffset >= 0, end.failedBytes >= 0, end.failedBytes <= size, end.failedOffset <= size else { return }
    var offset = end.failedOffset
    let last = end.failedOffset + end.failedBytes
    var piece: [UInt8] = []
    while offset < last {
      // A row may be longer than a piece.
      let got = try bytes.read(offset, Int(min(Self.pieceSize, last - offset)))
      if got.isEmpty { return }
      piece += got
      offset += Int64(got.count)
      var start = piece.startIndex
      while let line = piece[start...].firstIndex(of: UInt8(ascii: "\n")) {
        try take(piece[start...line])
        start = line + 1
      }
      piece.removeFirst(start)
    }
  }

  /// All its rows: those of its images in the order of the list, then those of the lines that failed.
  package func rows(_ take: (ArraySlice<UInt8>) throws(ShardFailure) -> Void) throws(ShardFailure) {
    var offset: Int64 = 0
    while offset < size {
      switch try Self.header(bytes, at: offset) {
      case .member(let name, let length):
        let member = TarMember(name: name, offset: offset + Int64(TarFormat.block), size: length)
        if name == ShardEnd.failedMember { return try failedRows(take) }
        if name.hasSuffix(".json"), !name.hasPrefix("__") {
          try take(try bytes.read(member.offset, Int(clamping: length))[...])
        }
        offset = member.end
      case .extended(let length):
        // The header behind the text has no size of its own.
        let text = TarMember(name: "", offset: offset + Int64(TarFormat.block), size: length)
        guard length < Self.mostOfJob,
          let size = TarFormat.extendedSize(in: try bytes.read(text.offset, Int(length))), size >= 0,
          size <= self.size
        else { return }
        offset = TarMember(name: "", offset: text.end + Int64(TarFormat.block), size: size).end
      case .end, nil: return
      }
    }
  }

  private static let pieceSize: Int64 = 256 << 10

  private static func header(_ file: ShardBytes, at offset: Int64) throws(ShardFailure) -> TarFormat.Header? {
    TarFormat.parse(try file.read(offset, TarFormat.block))
  }
}
