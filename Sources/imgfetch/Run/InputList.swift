import ImgfetchCore

/// All that a run is asked for: the operands, then the lists, pulled one line at a time, so that a list may be of any length and
/// may still be being written.
struct InputList {
  /// A line, or a list, that cannot be used.
  struct Failure: Error, Hashable {
    /// `list.txt:12`, or the list's name where it is the list as a whole.
    let place: String
    let reason: String
    /// Whether the list cannot be read (on): a file that is not there, say, and not just a line with a mistake.
    let isList: Bool
    var message: String { "\(place): \(reason)" }
  }

  private var operands: ArraySlice<String>
  private var paths: ArraySlice<String>
  private let isNullEnded: Bool
  private let standardInput: SharedDescriptor
  private var reader: LineReader?
  private var name = ""

  /// - Parameters:
  ///   - paths: the lists, in order; `-` is standard input.
  ///   - isNullEnded: whether NUL ends a record, and not a line break.
  init(
    operands: [String], lists paths: [String], isNullEnded: Bool = false,
    standardInput: SharedDescriptor = .standardInput
  ) {
    self.operands = operands[...]
    self.paths = paths[...]
    self.isNullEnded = isNullEnded
    self.standardInput = standardInput
  }

  /// The next image; nil at the end. After a failure the next call goes on behind what failed.
  ///
  /// - Parameter beforeWaiting: called before each read that may wait, of standard input or a pipe. Whoever holds back answers that
  ///   the writer of the list waits for lets go of them here.
  mutating func next(beforeWaiting: () -> Void = {}) throws(Failure) -> InputLine? {
    if let operand = operands.popFirst() { return InputLine(operand: operand) }
    while true {
      if reader == nil {
        guard let path = paths.popFirst() else { return nil }
        beforeWaiting()  // A pipe waits for its writer already when it is opened.
        try open(path)
      }
      guard let line = try nextLine(beforeWaiting) else {
        reader = nil
        continue
      }
      do {
        if let line = try InputLine(line) { return line }
      } catch {
        throw failure(error.reason)
      }
    }
  }

  private mutating func open(_ path: String) throws(Failure) {
    name = path == "-" ? "standard input" : path
    do throws(SystemError) {
      let file = path == "-" ? standardInput : SharedDescriptor(try .open(path, [.read]))
      reader = LineReader(file, isNullEnded: isNullEnded)
    } catch {
      throw Failure(place: name, reason: "the list cannot be read: \(error.code)", isList: true)
    }
  }

  private mutating func nextLine(_ beforeWaiting: () -> Void) throws(Failure) -> ArraySlice<UInt8>? {
    do {
      guard let line = try reader?.next(beforeWaiting: beforeWaiting) else { return nil }
      // Editors of other systems begin a file with a mark that is no text.
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      return reader?.count == 1 && line.starts(with: mark) ? line.dropFirst(mark.count) : line
    } catch {
      switch error {
      case .tooLong: throw failure("the line is longer than \(LineReader.lineLimit >> 20) MiB")
      case .unreadable(let error):
        reader = nil
        throw Failure(place: name, reason: "the list cannot be read: \(error.code)", isList: true)
      }
    }
  }

  private func failure(_ reason: String) -> Failure {
    Failure(place: "\(name):\(reader?.count ?? 0)", reason: reason, isList: false)
  }
}
