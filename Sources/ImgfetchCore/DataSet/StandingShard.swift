/// A shard that is there: what it says of itself, and its rows.
package struct StandingShard: Sendable {
  package enum Failure: Error, Hashable {
    case unreadable(SystemError)
    /// The file of this name is no shard, or not a whole one.
    case foreign(String)

    /// What is wrong, with the file's name.
    package var message: String {
      switch self {
      case .unreadable(let error): "\(error)"
      case .foreign(let path): "\(path): this is no shard that imgfetch has made"
      }
    }
  }

  package let name: ShardName
  package let path: String
  package let job: ShardJob
  package let end: ShardEnd
  /// Its size in bytes.
  package let size: Int64
  private let file: SharedDescriptor

  init(_ file: SharedDescriptor, _ name: ShardName, path: String) throws(Failure) {
    self.file = file
    self.name = name
    self.path = path
    let facts: (size: Int64, job: ShardJob, end: ShardEnd)?
    do { facts = try Self.facts(of: file) } catch { throw .unreadable(error.of(path)) }
    guard let facts else { throw .foreign(path) }
    (size, job, end) = facts
  }

  /// What its first and its last member say; nil if it has no such members.
  private static func facts(
    of file: SharedDescriptor
  ) throws(SystemError) -> (size: Int64, job: ShardJob, end: ShardEnd)? {
    let size = try file.file.status().size
    let (place, head) = (size - ShardEnd.distance, Int64(TarFormat.block))
    guard place >= head, case .member(ShardJob.member, let length)? = try header(file, at: 0), length < mostOfJob,
      let job = ShardJob(content: try read(file, head, Int(length))),
      case .member(ShardEnd.member, Int64(ShardEnd.size))? = try header(file, at: place - head),
      let end = ShardEnd(content: try read(file, place, ShardEnd.size))
    else { return nil }
    return (size, job, end)
  }

  /// A job is some options and the columns of a table.
  private static let mostOfJob: Int64 = 16 << 20

  /// The rows of the lines that failed, one each with its line break.
  package func failedRows(_ take: (ArraySlice<UInt8>) throws(SystemError) -> Void) throws(SystemError) {
    guard end.failedOffset >= 0, end.failedBytes >= 0, end.failedBytes <= size, end.failedOffset <= size else { return }
    var offset = end.failedOffset
    let last = end.failedOffset + end.failedBytes
    var piece: [UInt8] = []
    while offset < last {
      // A row may be longer than a piece.
      let got = try file.file.read(into: &piece, count: Int(min(Self.pieceSize, last - offset)), at: offset)
      if got == 0 { return }
      offset += Int64(got)
      var start = piece.startIndex
      while let line = piece[start...].firstIndex(of: UInt8(ascii: "\n")) {
        try take(piece[start...line])
        start = line + 1
      }
      piece.removeFirst(start)
    }
  }

  /// All its rows: those of its images in the order of the list, then those of the lines that failed.
  package func rows(_ take: (ArraySlice<UInt8>) throws(SystemError) -> Void) throws(SystemError) {
    var offset: Int64 = 0
    while offset < size {
      switch try Self.header(file, at: offset) {
      case .member(let name, let length):
        let member = TarMember(name: name, offset: offset + Int64(TarFormat.block), size: length)
        if name == ShardEnd.failedMember { return try failedRows(take) }
        if name.hasSuffix(".json"), !name.hasPrefix("__") {
          try take(try Self.read(file, member.offset, Int(clamping: length))[...])
        }
        offset = member.end
      case .extended(let length):
        // The header behind the text has no size of its own.
        let text = TarMember(name: "", offset: offset + Int64(TarFormat.block), size: length)
        guard length < Self.mostOfJob,
          let size = TarFormat.extendedSize(in: try Self.read(file, text.offset, Int(length))), size >= 0,
          size <= self.size
        else { return }
        offset = TarMember(name: "", offset: text.end + Int64(TarFormat.block), size: size).end
      case .end, nil: return
      }
    }
  }

  private static let pieceSize: Int64 = 256 << 10

  private static func header(_ file: SharedDescriptor, at offset: Int64) throws(SystemError) -> TarFormat.Header? {
    TarFormat.parse(try read(file, offset, TarFormat.block))
  }

  private static func read(_ file: SharedDescriptor, _ offset: Int64, _ count: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    _ = try file.file.read(into: &bytes, count: count, at: offset)
    return bytes
  }
}
