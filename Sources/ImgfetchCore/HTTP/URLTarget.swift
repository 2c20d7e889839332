/// Path and query of a URL: as they are sent, and in canonical form.
enum URLTarget {
  private static let slash = UInt8(ascii: "/")

  /// Appends the path with its dot segments resolved (RFC 3986 §5.2.4). `%2e` counts as a dot, as in browsers: RFC 3986
  /// calls the two equivalent, so a path with escaped dots must not get another key.
  static func append(path: Range<Int>, of bytes: borrowing Span<UInt8>, to output: inout [UInt8]) {
    let root = output.count
    var start = path.lowerBound
    if start < path.upperBound, bytes[start] == slash { start += 1 }
    while true {
      var end = start
      while end < path.upperBound, bytes[end] != slash { end += 1 }
      let isLast = end >= path.upperBound
      switch dots(bytes, start..<end) {
      case 1:
        if isLast { output.append(slash) }
      case 2:
        while output.count > root, output.removeLast() != slash {}
        if isLast { output.append(slash) }
      default:
        output.append(slash)
        append(escaped: start..<end, of: bytes, to: &output)
      }
      if isLast { return }
      start = end + 1
    }
  }

  /// True if a segment of the path is `.` or `..`, in any spelling.
  static func hasDotSegments(_ path: Range<Int>, of bytes: borrowing Span<UInt8>) -> Bool {
    var start = path.lowerBound
    while start < path.upperBound {
      var end = start
      while end < path.upperBound, bytes[end] != slash { end += 1 }
      if dots(bytes, start..<end) > 0 { return true }
      start = end + 1
    }
    return false
  }

  /// Appends bytes as typed, except that those which would break the request line are escaped.
  static func append(escaped range: Range<Int>, of bytes: borrowing Span<UInt8>, to output: inout [UInt8]) {
    for index in range {
      let byte = bytes[index]
      if PercentCoding.breaksRequest(byte) {
        PercentCoding.append(escapeOf: byte, to: &output)
      } else {
        output.append(byte)
      }
    }
  }

  /// The number of dots that the segment consists of: 1 or 2, else 0. Three dots are an ordinary name.
  private static func dots(_ bytes: borrowing Span<UInt8>, _ segment: Range<Int>) -> Int {
    // `%2e%2e` is the longest spelling.
    guard !segment.isEmpty, segment.count <= 6 else { return 0 }
    var count = 0
    var index = segment.lowerBound
    while index < segment.upperBound {
      if bytes[index] == UInt8(ascii: ".") {
        index += 1
      } else if PercentCoding.escape(in: bytes, at: index, before: segment.upperBound) == UInt8(ascii: ".") {
        index += 3
      } else {
        return 0
      }
      count += 1
    }
    return count <= 2 ? count : 0
  }

  /// The canonical form of a request URL whose path begins at `start`, or nil if the URL has that form already.
  static func canonical(_ request: [UInt8], from start: Int) -> [UInt8]? {
    let bytes = request.span
    var index = start
    while index < bytes.count, PercentCoding.isLegalInTarget(bytes[index]) { index += 1 }
    guard index < bytes.count else { return nil }

    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + 16)
    output.append(contentsOf: request[..<index])
    // The number of hex digits after a `%` that does not begin an escape; nil if there is none, or if another byte
    // followed.
    var digitsOfStray: Int?
    while index < bytes.count {
      let byte = bytes[index]
      if let escaped = PercentCoding.escape(in: bytes, at: index, before: bytes.count) {
        // Decoding a digit there would turn the stray `%` into an escape, and the URL would get another URL's key.
        let wouldJoin = digitsOfStray != nil && Hex.value(escaped) != nil
        digitsOfStray = nil
        if PercentCoding.isUnreserved(escaped), !wouldJoin {
          output.append(escaped)
        } else {
          PercentCoding.append(escapeOf: escaped, to: &output)
        }
        index += 3
        continue
      }
      // A `%` that begins no escape stays: to a server `%25` would be another resource.
      if PercentCoding.isLegalInTarget(byte) || byte == PercentCoding.percent {
        output.append(byte)
      } else {
        PercentCoding.append(escapeOf: byte, to: &output)
      }
      digitsOfStray =
        byte == PercentCoding.percent ? 0 : digitsOfStray == 0 && Hex.value(byte) != nil ? 1 : nil
      index += 1
    }
    return output
  }
}
