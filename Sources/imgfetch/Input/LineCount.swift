import ImgfetchCore

/// Counts the images in the input, for a progress display that shows the total before everything is read.
struct LineCount: Sendable {
  /// A list, and where to begin.
  private enum File: Sendable {
    case named(String)
    case standardInput(from: Int64)
  }

  private let operands: Int
  private let delimiter: UInt8
  private let files: [File]

  /// Fits into the processor's caches.
  private static let pieceSize = 256 << 10

  /// To be created before anything is read. Nil for pipes, sharded lists and tables with quotation marks, whose number of images cannot be known.
  init?(_ settings: Settings) {
    if settings.list.shard != nil || settings.list.format.separator != nil { return nil }
    operands = settings.operands.count
    delimiter = settings.list.isNullEnded ? 0 : UInt8(ascii: "\n")
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

  /// Nil if a list cannot be read.
  func count() -> Int? {
    var tally = LineTally(delimiter: delimiter)
    do throws(SystemError) {
      for file in files {
        switch file {
        case .named(let path): try read(SharedDescriptor(.open(path, [.read, .nonBlocking])), from: 0, &tally)
        case .standardInput(let start): try read(.standardInput, from: start, &tally)
        }
        tally.endFile()
      }
    } catch { return nil }
    return operands + tally.count
  }

  private func read(_ file: SharedDescriptor, from start: Int64, _ tally: inout LineTally) throws(SystemError) {
    var offset = start
    var piece: [UInt8] = []
    while true {
      piece.removeAll(keepingCapacity: true)
      let count = try file.file.read(into: &piece, count: Self.pieceSize, at: offset)
      if count == 0 { return }
      tally.add(piece.span)
      offset += Int64(count)
    }
  }
}

/// Counts the records of a list that are neither comments nor blank, piece by piece.
struct LineTally {
  private enum Place {
    /// Only spaces of the record so far.
    case beginning
    /// Only blanks so far, with a TAB among them.
    case blank
    /// The record is counted already, or a comment.
    case decided
  }

  private(set) var count = 0
  private let delimiter: UInt8
  private var place = Place.beginning

  init(delimiter: UInt8) { self.delimiter = delimiter }

  mutating func add(_ bytes: Span<UInt8>) {
    var at = 0
    while at < bytes.count {
      if place == .decided {
        at = bytes.place(of: delimiter, from: at) + 1
        if at <= bytes.count { place = .beginning }
        continue
      }
      switch bytes[at] {
      case delimiter: place = .beginning
      case UInt8(ascii: " "), UInt8(ascii: "\r"): break
      case UInt8(ascii: "\t"): place = .blank
      case UInt8(ascii: "#") where place == .beginning: place = .decided
      default:
        count += 1
        place = .decided
      }
      at += 1
    }
  }

  /// The last record of a file may lack a delimiter.
  mutating func endFile() { place = .beginning }
}
