import ImgfetchCore

/// Takes a stream apart into lines (or records that NUL ends), with no more than one of them in memory.
struct LineReader {
  enum Failure: Error {
    /// The line is longer than the limit. It is passed over; reading can go on.
    case tooLong
    case unreadable(SystemError)
  }

  /// A URL has at most 64 KiB, and so has each mirror: what is longer than this is no list.
  static let lineLimit = 1 << 20

  private static let pieceSize = 64 << 10

  private let file: SharedDescriptor
  private let delimiter: UInt8
  /// Whether a read never waits: of a file, its bytes are there or it is at its end.
  private let isRegular: Bool
  private var buffer: [UInt8] = []
  /// Where the next line begins in `buffer`, and up to where no delimiter was found.
  private var start = 0
  private var searched = 0
  private var isAtEnd = false
  /// How many lines have been read.
  private(set) var count = 0

  init(_ file: SharedDescriptor, isNullEnded: Bool) {
    self.file = file
    delimiter = isNullEnded ? 0 : UInt8(ascii: "\n")
    isRegular = (try? file.file.status().kind) == .regular
  }

  /// The next line without its end; nil when there are no more. The last one may have no end.
  ///
  /// - Parameter beforeWaiting: called before each read that may wait for whoever writes the stream.
  mutating func next(beforeWaiting: () -> Void) throws(Failure) -> ArraySlice<UInt8>? {
    while true {
      if let end = end() {
        defer { advance(past: end) }
        return buffer[start..<end]
      }
      if isAtEnd {
        if start == buffer.count { return nil }
        defer { advance(past: buffer.count) }
        return buffer[start...]
      }
      if buffer.count - start > Self.lineLimit {
        try skipLine(beforeWaiting)
        throw .tooLong
      }
      try fill(beforeWaiting)
    }
  }

  private mutating func end() -> Int? {
    searched = LineReader.place(of: delimiter, in: buffer.span, from: searched)
    return searched < buffer.count ? searched : nil
  }

  private static func place(of byte: UInt8, in bytes: borrowing Span<UInt8>, from start: Int) -> Int {
    var at = start
    while at < bytes.count, bytes[at] != byte { at += 1 }
    return at
  }

  private mutating func advance(past end: Int) {
    count += 1
    start = min(end + 1, buffer.count)
    searched = start
  }

  private mutating func fill(_ beforeWaiting: () -> Void) throws(Failure) {
    if !isRegular { beforeWaiting() }
    buffer.removeFirst(start)
    searched -= start
    start = 0
    do {
      if try file.file.read(into: &buffer, count: Self.pieceSize) == 0 { isAtEnd = true }
    } catch { throw .unreadable(error) }
  }

  private mutating func skipLine(_ beforeWaiting: () -> Void) throws(Failure) {
    while true {
      if let end = end() { return advance(past: end) }
      buffer.removeAll(keepingCapacity: true)
      start = 0
      searched = 0
      if isAtEnd {
        count += 1
        return
      }
      try fill(beforeWaiting)
    }
  }
}
