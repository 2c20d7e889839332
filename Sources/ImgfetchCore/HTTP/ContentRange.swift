/// The Content-Range field of a 206 or 416 response: `bytes 200-299/1000`, `bytes 200-299/*`, `bytes */1000`.
package struct ContentRange: Hashable, Sendable {
  /// The first and last byte of the body, or nil if the range could not be satisfied.
  package var bytes: ClosedRange<Int>?
  /// The length of the whole, or nil if the server does not know it.
  package var total: Int?

  /// Reads a field. Nil if the text is invalid by RFC 9110 §14.4, contradicts itself, or uses another unit than bytes.
  package static func parse(_ text: String) -> ContentRange? {
    let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].map(URLHost.lower).elementsEqual("bytes".utf8) else { return nil }
    let sides = parts[1].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard sides.count == 2 else { return nil }

    let star = [UInt8(ascii: "*")]
    var range = ContentRange()
    if !sides[1].elementsEqual(star) {
      guard let total = DecimalNumber.exactly(sides[1]) else { return nil }
      range.total = total
    }
    if sides[0].elementsEqual(star) { return range.total == nil ? nil : range }

    let ends = sides[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard ends.count == 2, let first = DecimalNumber.exactly(ends[0]), let last = DecimalNumber.exactly(ends[1]),
      first <= last, range.total.map({ last < $0 }) ?? true
    else { return nil }
    range.bytes = first...last
    return range
  }
}
