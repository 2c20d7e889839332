import ImgfetchCore

/// Splits a stream into lines (or NUL-ended records, or those of a table), with at most one of them in memory.
struct LineReader {
  enum Next {
    /// A line without its end.
    case line(ArraySlice<UInt8>)
    /// The next read may block.
    case pending
    case end
  }

  enum Failure: Error {
    /// The line is longer than the limit. It is skipped, and reading can continue.
    case tooLong
    case unreadable(SystemError)
    /// The list is compressed, and not whole.
    case packed(ListUnpacking.Damage)
    /// The list ends inside a field in quotation marks.
    case unclosed
    /// The list at a URL did not come whole. A line without an end was the beginning of one.
    case brokenOff(FetchError)
  }

  private static let pieceSize = 64 << 10

  /// The file or stream that is read; nil for a download.
  private let local: SharedDescriptor?
  /// The download that brings the list; nil for a file or a stream of this machine.
  private let remote: (any ListStream)?
  private var ends: RecordEnd
  private let limit: Int
  /// True if a read may block. Files never block.
  let mayWait: Bool
  private var buffer: [UInt8] = []
  /// The beginning of the next line in `buffer`, and the end of the search for its delimiter.
  private var start = 0
  private var searched = 0
  /// The offset of `buffer` in the file.
  private var base: Int64
  /// The offset of the last line in the file; meaningless for a stream.
  private(set) var offset: Int64 = 0
  private var isAtEnd = false
  private var unpacking = ListUnpacking()
  /// The number of bytes that were unpacked.
  private var unpacked: Int64 = 0
  /// True inside a line that is too long, of which nothing is kept.
  private var isSkipping = false
  /// The number of lines read.
  private(set) var count = 0
  /// The list's first bytes, once they are there.
  private(set) var beginning: [UInt8] = []

  init(_ file: SharedDescriptor, _ format: Choices.ListFormat = .lines, isNullEnded: Bool) {
    local = file
    remote = nil
    ends = RecordEnd(format, isNullEnded: isNullEnded)
    limit = format.recordLimit
    // Another program may have read the beginning of standard input. Where that ends must be known, or lines would be
    // read again at the wrong place. An input that does not tell is read as a stream.
    let isStream = (try? file.file.status().kind).map { $0 == .other } ?? true
    let start = isStream ? nil : try? file.file.position()
    mayWait = start == nil
    base = start ?? 0
  }

  init(_ remote: any ListStream, _ format: Choices.ListFormat = .lines, isNullEnded: Bool) {
    local = nil
    self.remote = remote
    ends = RecordEnd(format, isNullEnded: isNullEnded)
    limit = format.recordLimit
    mayWait = false
    base = 0
  }

  /// The descriptor to wait for after ``Next/pending``: once it can be read, a line may be there.
  var awaited: SharedDescriptor? { remote?.signal ?? local }

  /// The file or stream that is read; nil for a download.
  var file: SharedDescriptor? { local }

  /// True if a line cannot be read a second time from its offset.
  var isReadOnce: Bool { mayWait || remote != nil || unpacking.isPacked }

  /// The next line. The last one may lack a line break.
  ///
  /// - Parameter isReady: True if the stream can be read once without blocking. That read resets it.
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
        if ends.isQuoted { throw .unclosed }
        return .line(buffer[start...])
      }
      if buffer.count - start > limit {
        isSkipping = true
        // A quotation mark that is never closed must not take the rest of the list.
        ends.forget()
      }
      if isSkipping {
        start = buffer.count
        searched = start
      }
      if try takeUnpacked() { continue }
      guard isReady || !mayWait else { return .pending }
      isReady = false
      if !(try fill()) { return .pending }
    }
  }

  /// Skips lines that are in memory with their ends, and so need neither be read nor copied: a list of ten million
  /// lines is skipped in half the time.
  ///
  /// - Parameters:
  ///   - most: The number of counted lines after which to stop.
  ///   - take: Gets a line without its end, and returns true if the line counts.
  /// - Returns: The number of lines that count.
  mutating func passWhole(atMost most: Int, _ take: (borrowing Span<UInt8>) -> Bool) -> Int {
    // The first line is another matter, since it may begin with a byte order mark.
    guard count > 0, !isSkipping, ends.isPlain else { return 0 }
    let passed = Self.pass(buffer.span, from: start, ends.delimiter, atMost: most, take)
    guard passed.lines > 0 else { return 0 }
    count += passed.lines
    offset = base + Int64(passed.last)
    (start, searched) = (passed.next, passed.next)
    return passed.taken
  }

  /// Returns the number of lines skipped, the number of those that count, and the beginnings of the
  /// last and of the next one.
  private static func pass(
    _ bytes: Span<UInt8>, from start: Int, _ delimiter: UInt8, atMost most: Int,
    _ take: (borrowing Span<UInt8>) -> Bool
  ) -> (lines: Int, taken: Int, last: Int, next: Int) {
    var (lines, taken, last, next) = (0, 0, start, start)
    while taken < most {
      let end = bytes.place(of: delimiter, from: next)
      guard end < bytes.count else { break }
      if take(bytes.extracting(next..<end)) { taken += 1 }
      lines += 1
      (last, next) = (next, end + 1)
    }
    return (lines, taken, last, next)
  }

  /// Takes the separator of a table, whose first line was read.
  mutating func settle(on table: ListTable) { ends.settle(on: table) }

  private mutating func end() -> Int? {
    var ends = ends
    searched = ends.find(in: buffer.span, from: searched)
    self.ends = ends
    return searched < buffer.count ? searched : nil
  }

  private mutating func advance(past end: Int) {
    count += 1
    offset = base + Int64(start)
    start = min(end + 1, buffer.count)
    searched = start
  }

  /// Drops the read part of the buffer.
  private mutating func shift() {
    buffer.removeFirst(start)
    base += Int64(start)
    searched -= start
    start = 0
  }

  /// Unpacks more of the read bytes. Returns false if that gives nothing, so that the input must be read.
  private mutating func takeUnpacked() throws(Failure) -> Bool {
    guard unpacking.isPacked else { return false }
    do throws(ListUnpacking.Damage) {
      guard let text = try unpacking.next() else { return false }
      unpacked += Int64(text.count)
      shift()
      buffer += text
    } catch { throw .packed(error) }
    // A short list may become an endless one.
    if let remote, unpacked > remote.limit {
      isAtEnd = true
      throw .brokenOff(remote.tooLong)
    }
    return true
  }

  /// False if there was nothing to read, because another process reads the same stream.
  private mutating func fill() throws(Failure) -> Bool {
    shift()
    defer {
      if count == 0, beginning.count < ListNature.beginning { beginning = Array(buffer.prefix(ListNature.beginning)) }
    }
    if unpacking.isPlain { return try fillPlain() }
    var piece: [UInt8] = []
    guard try read(into: &piece) else { return false }
    do throws(ListUnpacking.Damage) {
      buffer += try unpacking.add(piece)
      if isAtEnd { buffer += try unpacking.end() }
    } catch {
      isAtEnd = true
      throw .packed(error)
    }
    return true
  }

  private mutating func fillPlain() throws(Failure) -> Bool {
    // One owner at a time, or it would be copied.
    var piece = buffer
    buffer = []
    defer { buffer = piece }
    return try read(into: &piece)
  }

  private mutating func read(into piece: inout [UInt8]) throws(Failure) -> Bool {
    if let remote { return try read(into: &piece, from: remote) }
    do {
      if try local?.file.read(into: &piece, count: Self.pieceSize) ?? 0 == 0 { isAtEnd = true }
      return true
    } catch {
      if error.code == .tryAgain { return false }
      throw .unreadable(error)
    }
  }

  private mutating func read(into piece: inout [UInt8], from remote: any ListStream) throws(Failure) -> Bool {
    let reading: ListReading
    do { reading = try remote.read(into: &piece, count: Self.pieceSize) } catch { throw .unreadable(error) }
    switch reading {
    case .bytes: return true
    case .nothing: return false
    case .failed(let error): throw .brokenOff(error)
    case .end:
      isAtEnd = true
      return true
    }
  }
}
