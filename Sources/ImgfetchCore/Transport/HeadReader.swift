/// Parses the header lines that libcurl passes on, one by one, into the head of the final response. Interim responses
/// are skipped, and each status line starts over. Lines after the head (trailers) are skipped too, but counted.
struct HeadReader {
  enum Step: Equatable {
    /// There is no complete head yet.
    case more
    /// The head of a final response is complete.
    case head
    case failed(Fault)
  }

  /// The reason why a response is rejected at its head. It holds no text, so that the check after each line
  /// costs no reference counting.
  enum Fault {
    case tooLarge
    case tooMany
    case endlessList
    case noStatusLine
    case transferCoding

    var reason: String {
      switch self {
      case .tooLarge: "its header is larger than \(HeaderFields.byteLimit / 1024) KiB"
      case .tooMany: "its header has more than \(HeaderFields.countLimit) fields"
      case .endlessList: "a list in its header is longer than \(HeaderFields.listLimit / 1024) KiB"
      case .noStatusLine: "it has no status line"
      case .transferCoding: "it comes in a transfer coding other than chunked"
      }
    }

    var kind: TransportFailure.Kind {
      switch self {
      case .tooLarge, .tooMany, .endlessList: .limit
      case .noStatusLine: .protocolError
      case .transferCoding: .coding
      }
    }
  }

  private(set) var status = 0
  private(set) var httpVersion = ResponseHead.HTTPVersion.http1_1
  private(set) var fields = HeaderFields()
  private(set) var contentLength: Int64?
  private var hasCodings = false
  private var isChunked = false
  /// True if the previous line was a Transfer-Encoding, which a folded line continues.
  private var isInCodings = false
  private var isOver = false
  /// True if a head has come in part.
  private(set) var isInside = false
  /// The number of interim responses.
  private(set) var interims = 0
  /// Bytes of all heads of the transfer, including interim ones and trailers: a server may send those without end.
  private var size = 0
  /// Fields of all those heads.
  private var count = 0

  /// True if the body ends at its length, and libcurl would wait for the end of the connection: beside any
  /// Transfer-Encoding it disregards the length, and `identity` is no coding.
  var isCounted: Bool { hasCodings && !isChunked && contentLength != nil }

  /// True if any byte of a response has arrived.
  var hasBegun: Bool { size > 0 }

  mutating func take(_ line: borrowing Span<UInt8>) -> Step {
    size &+= line.count
    guard size <= HeaderFields.byteLimit else { return .failed(.tooLarge) }
    if isOver { return isOneMore() ? .more : .failed(.tooMany) }
    isInside = !Self.isBlank(line)
    if let start = Self.statusLine(line) {
      begin(start)
      return .more
    }
    if !isInside {
      // 101 is treated as final: no request of ours asks for an upgrade.
      if status < 200 && status != 101 {
        interims &+= 1
        return status == 0 ? .failed(.noStatusLine) : .more
      }
      if fields.hasEndlessList { return .failed(.endlessList) }
      isOver = true
      return .head
    }
    guard isOneMore() else { return .failed(.tooMany) }
    if !fields.appendLine(line) { return .failed(.tooLarge) }
    return note(line) ? .more : .failed(.transferCoding)
  }

  /// Expects another head on the same transfer: the response to an answered Digest challenge.
  mutating func expectAnother() { isOver = false }

  /// Returns the head and forgets its fields.
  mutating func takeHead() -> ResponseHead {
    defer { fields = HeaderFields() }
    return ResponseHead(
      status: status, httpVersion: httpVersion, fields: fields, contentLength: isChunked ? nil : contentLength)
  }

  private mutating func begin(_ line: StatusLine) {
    status = line.status
    httpVersion = line.major >= 2 ? .http2 : line.minor == 0 ? .http1_0 : .http1_1
    fields = HeaderFields()
    contentLength = nil
    hasCodings = false
    isChunked = false
  }

  /// Counts a field line, including folded ones. Returns false if there are too many.
  private mutating func isOneMore() -> Bool {
    count &+= 1
    return count <= HeaderFields.countLimit
  }

  private static func statusLine(_ line: borrowing Span<UInt8>) -> StatusLine? {
    // The cheap test first, since nearly every line is a field.
    guard line.count > 5, line[0] == UInt8(ascii: "H"), line[4] == UInt8(ascii: "/") else { return nil }
    return StatusLine(line)
  }

  private static func isBlank(_ line: borrowing Span<UInt8>) -> Bool {
    line.count <= 2 && (line.isEmpty || line[0] == 0x0A || line[0] == 0x0D)
  }

  /// Notes the two fields that determine the body's length. The place of the colon rules out nearly all others. Returns
  /// false if the body comes in a coding that is refused.
  ///
  /// libcurl decodes all codings that such a field names inside one call, up to five in a row: a kilobyte takes twenty
  /// seconds. It cannot be made to leave that alone without leaving the chunks to this program, too.
  private mutating func note(_ line: borrowing Span<UInt8>) -> Bool {
    let colon = UInt8(ascii: ":")
    if line.count > 14, line[14] == colon, Self.begins(line, with: "content-length") {
      contentLength = Self.number(line, from: 15)
    } else if line.count > 17, line[17] == colon, Self.begins(line, with: "transfer-encoding") {
      hasCodings = true
      isInCodings = true
      return noteCodings(line, from: 18)
    } else if isInCodings, line[0] == 0x20 || line[0] == 0x09 {
      return noteCodings(line, from: 0)
    }
    isInCodings = false
    return true
  }

  /// Notes a list of codings, from that place on. Returns false if it names others than `chunked` and `identity`.
  private mutating func noteCodings(_ line: borrowing Span<UInt8>, from start: Int) -> Bool {
    var index = start
    while index < line.count {
      let first = index
      while index < line.count, line[index] > 0x20, line[index] != UInt8(ascii: ",") { index += 1 }
      let count = index - first
      if count > 0 {
        let word = line.extracting(first..<index)
        let namesChunked = count == 7 && Self.begins(word, with: "chunked")
        guard namesChunked || count == 8 && Self.begins(word, with: "identity") else { return false }
        isChunked = isChunked || namesChunked
      }
      index += 1
    }
    return true
  }

  private static func begins(_ line: borrowing Span<UInt8>, with name: String) -> Bool {
    var index = 0
    for byte in name.utf8 {
      // Bit 5 turns capitals into small letters. The hyphen has it set as well.
      guard index < line.count, line[index] | 0x20 == byte else { return false }
      index += 1
    }
    return true
  }

  /// A number that does not fit becomes the greatest that does: no limit allows as many bytes.
  private static func number(_ line: borrowing Span<UInt8>, from start: Int) -> Int64? {
    var value: Int64?
    var hasEnded = false
    for index in start..<line.count {
      let byte = line[index]
      if byte <= 0x20 {
        hasEnded = value != nil
        continue
      }
      if hasEnded { return nil }
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let (product, over) = (value ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, more) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      value = over || more || value == .max ? .max : sum
    }
    return value
  }
}
