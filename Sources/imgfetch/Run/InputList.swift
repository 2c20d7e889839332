import ImgfetchCore

/// All that a run is asked for: the operands, then the lists, pulled one line at a time, so that a list may be of any length and
/// may still be being written.
struct InputList {
  /// What is asked for at one place.
  enum Item: Sendable {
    case line(InputLine)
    case flawed(FlawedLine)
  }

  /// A list that cannot be read (on): a file that is not there, say.
  struct Failure: Error, Hashable {
    let name: String
    let code: Errno
    var message: String { "\(name): the list cannot be read: \(code)" }
  }

  private var operands: ArraySlice<String>
  private var paths: ArraySlice<String>
  private let isNullEnded: Bool
  private let standardInput: SharedDescriptor
  private var reader: LineReader?
  private var name = ""
  /// Lines of the lists that have been read to their end.
  private var linesBefore = 0

  /// How many lines of lists have been read, also those that ask for nothing.
  var lines: Int { linesBefore + (reader?.count ?? 0) }

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

  /// The next image; nil at the end. After a failure the next call goes on with the next list.
  ///
  /// - Parameter beforeWaiting: called before each read that may wait, of standard input or a pipe. Whoever holds back answers that
  ///   the writer of the list waits for lets go of them here.
  mutating func next(beforeWaiting: () -> Void = {}) throws(Failure) -> Item? {
    if let operand = operands.popFirst() {
      do { return .line(try InputLine(operand: operand)) } catch { return .flawed(FlawedLine(operand: operand, error)) }
    }
    while true {
      if reader == nil {
        guard let path = paths.popFirst() else { return nil }
        beforeWaiting()  // A pipe waits for its writer already when it is opened.
        try open(path)
      }
      do throws(LineReader.Failure) {
        guard let record = try nextRecord(beforeWaiting) else {
          close()
          continue
        }
        do {
          if var line = try InputLine(record) {
            line.tag.number = reader?.count
            return .line(line)
          }
        } catch {
          return .flawed(FlawedLine(record, number: reader?.count, at: place, error.reason))
        }
      } catch {
        switch error {
        case .tooLong: return .flawed(FlawedLine(tooLongAt: place, number: reader?.count))
        case .unreadable(let error):
          close()
          throw Failure(name: name, code: error.code)
        }
      }
    }
  }

  private mutating func open(_ path: String) throws(Failure) {
    name = path == "-" ? "standard input" : path
    do throws(SystemError) {
      let file = path == "-" ? standardInput : SharedDescriptor(try .open(path, [.read]))
      reader = LineReader(file, isNullEnded: isNullEnded)
    } catch {
      throw Failure(name: name, code: error.code)
    }
  }

  private mutating func close() {
    linesBefore = lines
    reader = nil
  }

  private mutating func nextRecord(_ beforeWaiting: () -> Void) throws(LineReader.Failure) -> ArraySlice<UInt8>? {
    guard let record = try reader?.next(beforeWaiting: beforeWaiting) else { return nil }
    // Editors of other systems begin a file with a mark that is no text.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return reader?.count == 1 && record.starts(with: mark) ? record.dropFirst(mark.count) : record
  }

  /// `list.txt:12`.
  private var place: String { "\(name):\(reader?.count ?? 0)" }
}
