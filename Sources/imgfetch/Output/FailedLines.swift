import ImgfetchCore

/// The lines of a list of failures, written as they come, and published in the order of the list.
///
/// They wait in the file without a name that becomes the list, or is copied into it: a line takes sixteen bytes of
/// memory here.
struct FailedLines: ~Copyable {
  private struct Place {
    let number: Int
    let offset: Int64
  }

  private let file: TemporaryFile
  private let folder: SharedDescriptor
  private let delimiter: UInt8
  private var places: [Place] = []
  private var isInOrder = true
  private var length: Int64 = 0
  private var buffer: [UInt8] = []
  /// The first lines of the list.
  private let head: [UInt8]

  /// Large enough to keep system calls few.
  private static let bufferSize = 32 << 10

  /// - Parameter header: The record that names the columns of a table, or nil for lines.
  init(beside path: String, delimiter: UInt8, header: [UInt8]? = nil) throws(SystemError) {
    let folder = try AtomicFile.place(of: path).folder
    let file = try TemporaryFile(in: folder, mode: AtomicFile.Mode.ownersOnly.rawValue)
    self.init(file, in: folder, delimiter: delimiter, header: header)
  }

  private init(
    _ file: consuming TemporaryFile, in folder: SharedDescriptor, delimiter: UInt8, header: [UInt8]?
  ) {
    self.file = file
    self.folder = folder
    self.delimiter = delimiter
    head = ListPlace.mark + [delimiter] + (header.map { $0 + [delimiter] } ?? [])
    buffer = head
    length = Int64(head.count)
  }

  /// Adds a line; those of the same number stay in the order in which they came.
  mutating func add(_ line: [UInt8], _ number: Int) throws(SystemError) {
    if let last = places.last, last.number > number { isInOrder = false }
    places.append(Place(number: number, offset: length))
    buffer += line
    buffer.append(delimiter)
    length += Int64(line.count) + 1
    if buffer.count >= Self.bufferSize { try flush() }
  }

  private mutating func flush() throws(SystemError) {
    if buffer.isEmpty { return }
    let bytes = buffer
    buffer = []
    try file.descriptor.write(bytes.span)
  }

  /// Gives the list its name.
  consuming func publish(as place: ListPlace) throws(SystemError) {
    try flush()
    if isInOrder { return try place.give(file) }
    let ordered = try TemporaryFile(in: folder, mode: AtomicFile.Mode.ownersOnly.rawValue)
    var bytes = head
    var piece: (offset: Int64, bytes: [UInt8]) = (0, [])
    for next in places.enumerated().sorted(by: { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }) {
      let end = next.offset + 1 < places.count ? places[next.offset + 1].offset : length
      try Self.append(next.element.offset..<end, of: file.descriptor, &piece, to: &bytes)
      if bytes.count >= Self.bufferSize {
        try ordered.descriptor.write(bytes.span)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    try ordered.descriptor.write(bytes.span)
    try place.give(ordered)
  }

  /// Appends a line with its delimiter, by its place: a record of a table may have line breaks inside. The last piece
  /// that was read is kept: most lines follow one another.
  private static func append(
    _ range: Range<Int64>, of file: borrowing Descriptor, _ piece: inout (offset: Int64, bytes: [UInt8]),
    to bytes: inout [UInt8]
  ) throws(SystemError) {
    let count = Int(clamping: range.upperBound - range.lowerBound)
    if range.lowerBound < piece.offset || range.upperBound > piece.offset + Int64(piece.bytes.count) {
      piece = (range.lowerBound, [])
      _ = try file.read(into: &piece.bytes, count: max(bufferSize, count), at: range.lowerBound)
    }
    bytes += piece.bytes.dropFirst(Int(clamping: range.lowerBound - piece.offset)).prefix(count)
  }
}

/// The path of a list of failures: the one that the user has named if that is free or holds such a list, else one
/// beside it.
struct ListPlace {
  let path: String
  private let folder: SharedDescriptor
  private let name: String
  /// The list that is replaced; nil if the name is free.
  private let earlier: FileStatus.Identity?

  /// The first line: a comment for list readers, and the mark by which a later run knows that it may replace or remove
  /// the file.
  static let mark = Array(FailedListMark.line.utf8)

  /// The most files of that name.
  private static let limit = 1000

  /// The first of FILE, FILE.1, FILE.2 … that is free or a list of failures.
  ///
  /// - Parameter found: The list that was there when the run began; nil if there was none. Another one is that of a run
  ///   beside this one, whose lines would be lost.
  init(for path: String, _ delimiter: UInt8, found: FileStatus?) throws(SystemError) {
    let place = try AtomicFile.place(of: path)
    folder = place.folder
    for number in 0..<Self.limit {
      let end = number == 0 ? "" : ".\(number)"
      switch try Self.occupant(place.name + end, in: place.folder.file, delimiter) {
      case .nothing: earlier = nil
      case .list(let status) where status.size == 0 || Self.isSame(status, found): earlier = status.identity
      case .list, .other: continue
      }
      self.path = path + end
      name = place.name + end
      return
    }
    throw SystemError(.openat, .fileExists, path: path)
  }

  /// The list that has the name, or one of those beside it; nil if there is none.
  static func list(of path: String, _ delimiter: UInt8) -> FileStatus? {
    guard let place = try? AtomicFile.place(of: path) else { return nil }
    for number in 0..<limit {
      switch try? occupant(place.name + (number == 0 ? "" : ".\(number)"), in: place.folder.file, delimiter) {
      case .list(let status): return status
      case .nothing, nil: return nil
      case .other: continue
      }
    }
    return nil
  }

  /// True if both are one file that nothing has written to since. The inode of a removed list may be used again.
  private static func isSame(_ status: FileStatus, _ other: FileStatus?) -> Bool {
    other.map { $0.identity == status.identity && $0.modified == status.modified } ?? false
  }

  private enum Occupant {
    case nothing
    /// A list of failures, or an empty file.
    case list(FileStatus)
    case other
  }

  /// The delimiter belongs to the mark: a run with another delimiter reads the whole file as one comment, and so has
  /// not tried its lines.
  private static func occupant(
    _ name: String, in folder: borrowing Descriptor, _ delimiter: UInt8
  ) throws(SystemError) -> Occupant {
    guard let status = try folder.status(of: name) else { return .nothing }
    guard status.kind == .regular else { return .other }
    if status.size == 0 { return .list(status) }
    do throws(SystemError) {
      let file = try folder.open(name, [.read, .noFollow, .nonBlocking])
      var start: [UInt8] = []
      let mark = mark + [delimiter]
      _ = try file.read(into: &start, count: mark.count, at: 0)
      let found = try file.status().identity
      return start == mark && found == status.identity ? .list(status) : .other
    } catch { return .other }
  }

  func isOne(of files: Set<FileStatus.Identity>) -> Bool { earlier.map(files.contains) ?? false }

  func give(_ file: consuming TemporaryFile) throws(SystemError) {
    if let earlier {
      guard try folder.file.status(of: name)?.identity == earlier else {
        throw SystemError(.renameat, .fileExists, path: path)
      }
      try file.publish(as: name, replacing: true)
    } else {
      try file.publish(as: name, replacing: false)
    }
  }

  /// True for a device, a pipe or a stream of this program.
  static func isStream(_ path: String) throws(SystemError) -> Bool {
    if ProcessEnvironment.stream(named: path) != nil { return true }
    let place = try AtomicFile.place(of: path)
    return AtomicFile.isStream(try place.folder.file.status(of: place.name)?.kind, in: place.folder.file)
  }

  /// Removes the list of an earlier run. Only the user can know whether any other file of that name is still needed.
  static func removeEarlier(_ path: String, _ delimiter: UInt8, found: FileStatus?) -> FailedList.Ending {
    do throws(SystemError) {
      if try isStream(path) { return .fine }
      let first = try AtomicFile.place(of: path)
      var ending = FailedList.Ending.fine
      for number in 0..<limit {
        let name = first.name + (number == 0 ? "" : ".\(number)")
        switch try occupant(name, in: first.folder.file, delimiter) {
        case .nothing: return ending
        case .list(let status):
          if status.size > 0, isSame(status, found) { try first.folder.file.remove(name) }
          return ending
        case .other: ending = .leftAlone(path: path)
        }
      }
      return ending
    } catch {
      // There can be no list of a name that cannot be a file's.
      if [.noSuchFile, .notDirectory, .isDirectory].contains(error.code) { return .fine }
      return .failed(FetchError(.file, path, "the list of an earlier run cannot be removed: \(error.code)"))
    }
  }
}
