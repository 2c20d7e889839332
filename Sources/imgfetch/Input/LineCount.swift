import ImgfetchCore
import ImgfetchDataSet

/// Counts the images in the input, for a progress display that shows the total before everything is read.
struct LineCount: Sendable {
  /// A list, and where to begin.
  private enum File: Sendable {
    case named(String)
    case standardInput(from: Int64)
  }

  private let operands: Int
  private let isNullEnded: Bool
  private let format: Choices.ListFormat
  /// The part of the lines that is fetched, if their numbers decide that; nil if all are.
  private let rule: ShardRule?
  private let files: [File]

  /// Fits into the processor's caches.
  private static let pieceSize = 256 << 10

  /// Creates the count, before anything is read. Nil for pipes, and for lists of which a part is fetched
  /// that depends on their URLs.
  init?(_ settings: Settings) {
    if !settings.find.sources.isEmpty { return nil }
    let isByNumber = settings.product == .dataSet && settings.dataSet.shardBy == .lines
    if settings.list.part != nil, !isByNumber { return nil }
    rule = isByNumber ? ShardRule(settings) : nil
    operands = settings.operands.count
    isNullEnded = settings.list.isNullEnded
    format = settings.list.format
    var files: [File] = []
    for list in settings.list.inputs {
      if list == "-" {
        let input = SharedDescriptor.standardInput
        guard (try? input.file.status().kind) == .regular, let start = try? input.file.position() else { return nil }
        files.append(.standardInput(from: start))
      } else {
        // The file is checked by name: opening a pipe would be visible to its writer.
        guard (try? Descriptor.status(ofFile: list).kind) == .regular else { return nil }
        files.append(.named(list))
      }
    }
    self.files = files
  }

  /// Counts the images; nil if a list cannot be read.
  func count() -> Int? {
    var tally = LineTally(format, isNullEnded: isNullEnded)
    var isCountable = true
    do throws(SystemError) {
      for file in files {
        switch file {
        case .named(let path):
          isCountable = try read(SharedDescriptor(.open(path, [.read, .nonBlocking])), from: 0, &tally)
        case .standardInput(let start): isCountable = try read(.standardInput, from: start, &tally)
        }
        if !isCountable { return nil }
        tally.endFile()
      }
    } catch { return nil }
    return operands + (rule?.count(ofRecords: tally.count) ?? tally.count)
  }

  /// False for a compressed list, which would have to be unpacked twice.
  private func read(_ file: SharedDescriptor, from start: Int64, _ tally: inout LineTally) throws(SystemError) -> Bool {
    var offset = start
    var piece: [UInt8] = []
    while true {
      piece.removeAll(keepingCapacity: true)
      let count = try file.file.read(into: &piece, count: Self.pieceSize, at: offset)
      if count == 0 { return true }
      if offset == start, piece.starts(with: [0x1F, 0x8B]) { return false }
      tally.add(piece.span)
      offset += Int64(count)
    }
  }
}

/// Counts the records of a list that are neither comments nor blank, piece by piece, and of a table not its header.
struct LineTally {
  private enum Place {
    /// The record has only spaces so far.
    case beginning
    /// The record has only blanks so far, with a TAB among them.
    case blank
    /// The record is counted already, or a comment.
    case decided
  }

  private(set) var count = 0
  private let format: Choices.ListFormat
  private let isNullEnded: Bool
  private var ends: RecordEnd
  private var place = Place.beginning
  /// Records of this file, with a table's header.
  private var ofFile = 0

  init(_ format: Choices.ListFormat = .lines, isNullEnded: Bool = false) {
    self.format = format
    self.isNullEnded = isNullEnded
    ends = RecordEnd(format, isNullEnded: isNullEnded)
  }

  mutating func add(_ bytes: Span<UInt8>) {
    let delimiter = ends.delimiter
    var at = 0
    while at < bytes.count {
      if place == .decided {
        at = ends.find(in: bytes, from: at) + 1
        if at <= bytes.count { place = .beginning }
        continue
      }
      switch bytes[at] {
      case delimiter: place = .beginning
      case UInt8(ascii: " "), UInt8(ascii: "\r"): break
      case UInt8(ascii: "\t") where format == .lines: place = .blank
      case UInt8(ascii: "#") where format == .lines && place == .beginning: place = .decided
      default:
        ofFile += 1
        // A list of failures begins with a comment.
        let isMark = format != .lines && ofFile == 1 && bytes[at] == UInt8(ascii: "#")
        if isMark { ofFile = 0 } else if !format.hasHeader || ofFile > 1 { count += 1 }
        place = .decided
        // It may be a quotation mark, behind which a delimiter ends nothing.
        continue
      }
      at += 1
    }
  }

  /// Ends a file, whose last record may lack a delimiter.
  mutating func endFile() {
    place = .beginning
    ofFile = 0
    ends = RecordEnd(format, isNullEnded: isNullEnded)
  }
}
