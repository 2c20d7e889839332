import ImgfetchCore
import ImgfetchDataSet
import ImgfetchReport

/// A source of rows for `report`: a file, perhaps compressed, a stream, or the shards of a folder or a place.
struct RowInput {
  private enum Contents {
    case lines(SharedDescriptor)
    /// The shards of a place.
    case shards([StandingShard])
    /// The shards of a folder, which are opened one after another: a large set has more of them than a process may have
    /// open files. So is the folder, since each shard may be an input of its own.
    case files(String, [ShardName])
  }

  /// The name, as it is shown.
  let name: String
  private let contents: Contents
  /// The folder or the place of the shards, or nil if these are no shards.
  private(set) var shardSet: String?

  /// - Parameters:
  ///   - name: A file, `-`, a folder, a shard, or the URL of a place or of a shard there.
  ///   - places: Reads the shards of places.
  init(_ name: String, _ places: ReportPlaces) throws(FetchError) {
    self.name = name
    if StoreAddress.isURL(name) {
      contents = .shards(try places.shards(at: name))
      let (folder, file) = name.pathSplit
      shardSet = ShardName(file: String(file)) == nil ? name : folder.map(String.init)
      return
    }
    if name == "-" {
      contents = .lines(.standardInput)
    } else if try Self.isFolder(name) {
      contents = try Self.shards(in: name, only: nil)
      shardSet = ProcessEnvironment.resolved(name) ?? name
    } else if let shard = Self.shard(at: name) ?? ProcessEnvironment.resolved(name).flatMap(Self.shard(at:)) {
      contents = try Self.shards(in: shard.folder, only: shard.name)
      shardSet = ProcessEnvironment.resolved(shard.folder) ?? shard.folder
    } else {
      do throws(SystemError) { contents = .lines(SharedDescriptor(try .open(name, .read))) } catch {
        throw Self.unopened(name, error)
      }
    }
  }

  private static func isFolder(_ path: String) throws(FetchError) -> Bool {
    do throws(SystemError) { return try Descriptor.status(ofFile: path).kind == .directory } catch {
      throw unopened(path, error)
    }
  }

  private static func unopened(_ name: String, _ error: SystemError) -> FetchError {
    FetchError(.file, name, "cannot be opened: \(error.code)")
  }

  /// The folder and the name of a shard, if the path is one's.
  private static func shard(at path: String) -> (folder: String, name: ShardName)? {
    let (folder, file) = path.pathSplit
    return ShardName(file: String(file)).map { (folder: folder.map(String.init) ?? ".", name: $0) }
  }

  private static func shards(in path: String, only name: ShardName?) throws(FetchError) -> Contents {
    let folder = try folder(path)
    if let name { return .files(path, [name]) }
    do throws(ShardFailure) { return .files(path, try folder.shards()) } catch { throw failure(error, path) }
  }

  private static func folder(_ path: String) throws(FetchError) -> ShardFolder {
    do throws(SystemError) { return try ShardFolder(path) } catch { throw unopened(path, error) }
  }

  private static func failure(_ error: ShardFailure, _ path: String) -> FetchError {
    switch error {
    case .foreign(let path): FetchError(.file, path, "this is no shard of imgfetch's, or it is damaged")
    case .file(let error): unopened(path, error)
    case .place, .stopped: FetchError(.file, path, error.message)
    }
  }

  /// The file whose lines can be read again where they begin, or nil if there is none.
  var file: SharedDescriptor? {
    guard case .lines(let file) = contents, (try? file.file.status().kind) == .regular,
      (try? file.file.position()) == 0
    else { return nil }
    return file
  }

  /// Takes each row.
  ///
  /// - Parameter number: The number of this input in the places of images.
  func forEach(
    number: Int, _ take: (Span<UInt8>, RowPlace) throws(FetchError) -> Void
  ) throws(FetchError) {
    switch contents {
    case .lines(let lines):
      try readLines(lines) { (line, offset) throws(FetchError) in
        try take(line, offset.map { .line($0) } ?? .stream)
      }
    case .shards(let shards): try read(shards.map(\.name), number, take) { shards[$0] }
    case .files(let path, let names):
      let folder = try Self.folder(path)
      try read(names, number, take) { (at) throws(FetchError) in
        do throws(ShardFailure) { return try folder.standing(names[at]) } catch {
          throw Self.failure(error, folder.path(of: names[at]))
        }
      }
    }
  }

  /// The bytes of an image in one of the shards; nil if it cannot be read, or is larger than it may be.
  func bytes(of image: ImagePlace, most: Int64) -> [UInt8]? {
    do throws(ShardFailure) {
      let shard: StandingShard?
      switch contents {
      case .lines: shard = nil
      case .shards(let shards): shard = shards.indices.contains(image.shard) ? shards[image.shard] : nil
      case .files(let path, let names):
        guard names.indices.contains(image.shard), let folder = try? Self.folder(path) else { return nil }
        shard = try folder.standing(names[image.shard])
      }
      return try shard?.bytes(at: image.offset, size: image.size, most: most)
    } catch { return nil }
  }

  // MARK: Shards

  /// A file under a shard's name that is none, or is damaged, is an error: the rest would pass for the whole set.
  private func read(
    _ names: [ShardName], _ number: Int, _ take: (Span<UInt8>, RowPlace) throws(FetchError) -> Void,
    shard: (Int) throws(FetchError) -> StandingShard?
  ) throws(FetchError) {
    var hasShards = false
    var at = 0
    while at < names.count {
      let family = names[at...].prefix { $0.first == names[at].first }
      var shards: [(Int, StandingShard)] = []
      for place in family.indices {
        if let shard = try shard(place) { shards.append((place, shard)) }
      }
      hasShards = hasShards || !shards.isEmpty
      try read(shards, number, take)
      at = family.endIndex
    }
    if !hasShards { throw FetchError(.file, name, "there are no shards in it") }
  }

  /// Reads a shard with its repetitions. Of a line that failed, and was had by a repetition of its shard, the newer row
  /// counts.
  private func read(
    _ family: [(Int, StandingShard)], _ number: Int, _ take: (Span<UInt8>, RowPlace) throws(FetchError) -> Void
  ) throws(FetchError) {
    var had: Set<Int> = []
    do throws(ShardFailure) {
      for (_, shard) in family where shard.name.again > 0 {
        try shard.rows(first: 64) { row in if let record = RetryPlan.record(ofRow: row) { had.insert(record) } }
      }
    } catch { throw FetchError(.file, name, error.message) }
    for (place, shard) in family {
      var failure: FetchError?
      do throws(ShardFailure) {
        try shard.rowsAndImages { row, image in
          if failure != nil { return }
          if shard.name.again == 0, let record = RetryPlan.record(ofRow: row), had.contains(record) { return }
          let image = image.map { ImagePlace(input: number, shard: place, offset: $0.offset, size: $0.size) }
          do throws(FetchError) { try take(row.span, .shard(image)) } catch { failure = error }
        }
      } catch { throw FetchError(.file, name, error.message) }
      if let failure { throw failure }
    }
  }

  // MARK: Lines

  private static let pieceSize = 256 << 10
  /// No row is longer; what is longer is passed over.
  private static let longestRow = 16 << 20

  private func readLines(
    _ file: SharedDescriptor, _ take: (Span<UInt8>, Int64?) throws(FetchError) -> Void
  ) throws(FetchError) {
    let isFile = self.file != nil
    var unpacking = ListUnpacking()
    var lines = RowLines(longest: Self.longestRow)
    while true {
      var piece: [UInt8] = []
      do throws(SystemError) { if try file.file.read(into: &piece, count: Self.pieceSize) == 0 { break } } catch {
        throw FetchError(.file, name, "cannot be read: \(error.code)")
      }
      do throws(ListUnpacking.Damage) { piece = try unpacking.add(piece) } catch { throw damaged(error) }
      try lines.add(piece, isFile && unpacking.isPlain, take)
      while true {
        let text: [UInt8]?
        do throws(ListUnpacking.Damage) { text = try unpacking.next() } catch { throw damaged(error) }
        guard let text else { break }
        try lines.add(text, false, take)
      }
    }
    let rest: [UInt8]
    do throws(ListUnpacking.Damage) { rest = try unpacking.end() } catch { throw damaged(error) }
    try lines.finish(rest, isFile && unpacking.isPlain, take)
  }

  private func damaged(_ damage: ListUnpacking.Damage) -> FetchError { FetchError(.file, name, damage.reason) }
}

/// Splits pieces of a file into lines, with at most one of them in memory.
struct RowLines {
  private let longest: Int
  private var buffer: [UInt8] = []
  /// The place in the file at which ``buffer`` begins.
  private var base: Int64 = 0
  /// Inside a line that is too long, of which nothing is kept.
  private var isSkipping = false

  init(longest: Int) { self.longest = longest }

  /// - Parameter isFile: Whether lines can be read again where they begin.
  mutating func add(
    _ piece: [UInt8], _ isFile: Bool, _ take: (Span<UInt8>, Int64?) throws(FetchError) -> Void
  ) throws(FetchError) {
    if buffer.isEmpty { buffer = piece } else { buffer += piece }
    var isSkipping = isSkipping
    let passed = try Self.pass(buffer.span, base, &isSkipping, isFile, take)
    self.isSkipping = isSkipping
    buffer.removeFirst(passed)
    base += Int64(passed)
    if buffer.count > longest {
      base += Int64(buffer.count)
      buffer = []
      isSkipping = true
    }
  }

  /// Takes the last line, which may lack its end.
  mutating func finish(
    _ piece: [UInt8], _ isFile: Bool, _ take: (Span<UInt8>, Int64?) throws(FetchError) -> Void
  ) throws(FetchError) {
    try add(piece, isFile, take)
    if !buffer.isEmpty, !isSkipping { try take(buffer.span, isFile ? base : nil) }
  }

  private static func pass(
    _ bytes: Span<UInt8>, _ base: Int64, _ isSkipping: inout Bool, _ isFile: Bool,
    _ take: (Span<UInt8>, Int64?) throws(FetchError) -> Void
  ) throws(FetchError) -> Int {
    var start = 0
    while true {
      let end = bytes.place(of: UInt8(ascii: "\n"), from: start)
      guard end < bytes.count else { return start }
      if !isSkipping, end > start { try take(bytes.extracting(start..<end), isFile ? base + Int64(start) : nil) }
      isSkipping = false
      start = end + 1
    }
  }
}
