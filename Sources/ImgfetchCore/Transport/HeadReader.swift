/// Reads the lines that libcurl hands over, one by one, into the head of the answer that counts: interim answers are
/// passed over, each status line begins anew. What comes after the head (trailers) is passed over too, but counted.
struct HeadReader {
  enum Step: Equatable {
    /// Nothing to tell yet.
    case more
    /// The head of a final answer is whole.
    case head
    case failed(String)
  }

  private(set) var status = 0
  private(set) var httpVersion = ResponseHead.HTTPVersion.http1_1
  private(set) var fields = HeaderFields()
  private(set) var contentLength: Int64?
  private var isChunked = false
  private var isOver = false
  /// Bytes of all heads of the transfer, interim ones and trailers included: a server may send those without end.
  private var size = 0

  /// Whether anything at all has come.
  var hasBegun: Bool { size > 0 }

  mutating func take(_ line: borrowing Span<UInt8>) -> Step {
    if isOver { return count(line.count) ? .more : Self.tooLarge }
    if let start = Self.statusLine(line) { return begin(start, size: line.count) }
    guard count(line.count) else { return Self.tooLarge }
    if Self.isBlank(line) {
      // 101 is final: nothing was asked for that it could agree to.
      if status < 200 && status != 101 { return status == 0 ? .failed("it has no status line") : .more }
      isOver = true
      return .head
    }
    if !fields.appendLine(line) { return Self.tooLarge }
    note(line)
    return .more
  }

  /// Forgets that a head was final: another one follows on the same transfer (a Digest challenge that is answered).
  mutating func expectAnother() { isOver = false }

  /// The head, handed over.
  mutating func takeHead() -> ResponseHead {
    defer { fields = HeaderFields() }
    return ResponseHead(
      status: status, httpVersion: httpVersion, fields: fields, contentLength: isChunked ? nil : contentLength)
  }

  private mutating func begin(_ line: StatusLine, size: Int) -> Step {
    status = line.status
    httpVersion = line.major >= 2 ? .http2 : line.minor == 0 ? .http1_0 : .http1_1
    fields = HeaderFields()
    contentLength = nil
    isChunked = false
    return count(size) ? .more : Self.tooLarge
  }

  private static let tooLarge = Step.failed("its header is larger than \(HeaderFields.byteLimit / 1024) KiB")

  private mutating func count(_ bytes: Int) -> Bool {
    size &+= bytes
    return size <= HeaderFields.byteLimit
  }

  private static func statusLine(_ line: borrowing Span<UInt8>) -> StatusLine? {
    // The cheap test first: nearly every line is a field.
    guard line.count > 5, line[0] == UInt8(ascii: "H"), line[4] == UInt8(ascii: "/") else { return nil }
    return StatusLine(line)
  }

  private static func isBlank(_ line: borrowing Span<UInt8>) -> Bool {
    line.count <= 2 && (line.isEmpty || line[0] == 0x0A || line[0] == 0x0D)
  }

  private static let contentLengthName = Array("content-length:".utf8)
  private static let transferEncodingName = Array("transfer-encoding:".utf8)

  /// The two fields that say how long the body is.
  private mutating func note(_ line: borrowing Span<UInt8>) {
    if Self.isNamed(Self.contentLengthName, line) {
      contentLength = Self.number(line, from: Self.contentLengthName.count)
    } else if Self.isNamed(Self.transferEncodingName, line) {
      isChunked = true
    }
  }

  private static func isNamed(_ name: [UInt8], _ line: borrowing Span<UInt8>) -> Bool {
    guard line.count >= name.count else { return false }
    for index in name.indices where line[index] | 0x20 != name[index] { return false }
    return true
  }

  private static func number(_ line: borrowing Span<UInt8>, from start: Int) -> Int64? {
    var value: Int64?
    for index in start..<line.count {
      let byte = line[index]
      if byte <= 0x20 { continue }
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let (product, over) = (value ?? 0).multipliedReportingOverflow(by: 10)
      let (sum, more) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      if over || more { return nil }
      value = sum
    }
    return value
  }
}
