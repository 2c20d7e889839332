/// The first line of a response as libcurl passes it on: `HTTP/1.1 200 OK`, `HTTP/2 200`. The reason phrase is ignored.
package struct StatusLine: Hashable, Sendable {
  /// 1 with `minor` 0 or 1, 2 or 3 with 0.
  package var major: Int
  package var minor: Int
  /// 100 to 999.
  package var status: Int

  /// Nil if the line is not a status line.
  package init?(_ line: borrowing Span<UInt8>) {
    var end = line.count
    while end > 0, line[end - 1] <= 0x20 { end -= 1 }
    guard end > 5, line.extracting(..<5).isSame(as: "HTTP/".utf8Span.span) else { return nil }
    var index = 5

    guard let major = Self.digit(line[index]) else { return nil }
    index += 1
    var minor = 0
    if index + 1 < end, line[index] == UInt8(ascii: ".") {
      guard let digit = Self.digit(line[index + 1]) else { return nil }
      minor = digit
      index += 2
    }
    guard index < end, line[index] == 0x20 else { return nil }
    while index < end, line[index] == 0x20 { index += 1 }

    guard index + 3 <= end, index + 3 == end || line[index + 3] == 0x20 else { return nil }
    var status = 0
    for place in index..<index + 3 {
      guard let digit = Self.digit(line[place]) else { return nil }
      status = status * 10 + digit
    }
    guard status >= 100 else { return nil }
    self.major = major
    self.minor = minor
    self.status = status
  }

  private static func digit(_ byte: UInt8) -> Int? {
    let value = byte &- UInt8(ascii: "0")
    return value < 10 ? Int(value) : nil
  }
}
