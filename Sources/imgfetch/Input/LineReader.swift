import ImgfetchCore

/// Takes a stream apart into lines (or records that NUL ends), with no more than one of them in memory.
struct LineReader {
  enum Next {
    /// A line without its end.
    case line(ArraySlice<UInt8>)
    /// A read is due that may wait for the stream's writer.
    case pending
    case end
  }

  enum Failure: Error {
    /// The line is longer than the limit. It is passed over; reading can go on.
    case tooLong
    case unreadable(SystemError)
  }

  /// A URL has at most 64 KiB, and so has each mirror: what is longer than this is no list.
  static let lineLimit = 1 << 20

  private static let pieceSize = 64 << 10

  let file: SharedDescriptor
  private let delimiter: UInt8
  /// Whether a read may wait. Of a file the bytes are there, or it is at its end.
  let mayWait: Bool
  private var buffer: [UInt8] = []
  /// Where the next line begins in `buffer`, and up to where no delimiter was found.
  private var start = 0
  private var searched = 0
  /// Where `buffer` begins in the file.
  private var base: Int64
  /// Where the line begins in the file that was read last; of a stream, nowhere.
  private(set) var offset: Int64 = 0
  private var isAtEnd = false
  /// Within a line that is too long: nothing of it is kept.
  private var isSkipping = false
  /// How many lines have been read.
  private(set) var count = 0

  init(_ file: SharedDescriptor, isNullEnded: Bool) {
    self.file = file
    delimiter = isNullEnded ? 0 : UInt8(ascii: "\n")
    mayWait = (try? file.file.status().kind).map { $0 == .other } ?? true
    // Standard input may be a file that another program has read the beginning of.
    base = mayWait ? 0 : (try? file.file.position()) ?? 0
  }

  /// The next line; the last one may have no end.
  ///
  /// - Parameter isReady: whether the stream can be read once without waiting; not any more once it was.
  mutating func next(isReady: inout Bool) throws(Failure) -> Next {
    while true {
      if let end = end() {
        defer { advance(past: end) }
        if isSkipping {
          isSkipping = false
          throw .tooLong
        }
        return .line(buffer[start..<end])
      }
      if isAtEnd {
        if start == buffer.count && !isSkipping { return .end }
        defer { advance(past: buffer.count) }
        if isSkipping {
          isSkipping = false
          throw .tooLong
        }
        return .line(buffer[start...])
      }
      if buffer.count - start > Self.lineLimit { isSkipping = true }
      if isSkipping {
        start = buffer.count
        searched = start
      }
      guard isReady || !mayWait else { return .pending }
      isReady = false
      if !(try fill()) { return .pending }
    }
  }

  private mutating func end() -> Int? {
    searched = buffer.span.place(of: delimiter, from: searched)
    return searched < buffer.count ? searched : nil
  }

  private mutating func advance(past end: Int) {
    count += 1
    offset = base + Int64(start)
    start = min(end + 1, buffer.count)
    searched = start
  }

  /// False: there was nothing after all, since another process reads the same stream.
  private mutating func fill() throws(Failure) -> Bool {
    buffer.removeFirst(start)
    base += Int64(start)
    searched -= start
    start = 0
    do {
      if try file.file.read(into: &buffer, count: Self.pieceSize) == 0 { isAtEnd = true }
      return true
    } catch {
      if error.code == .tryAgain { return false }
      throw .unreadable(error)
    }
  }
}
