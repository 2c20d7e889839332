/// The pattern of a rule in a robots.txt: the beginning of a path, in which `*` stands for anything, and a `$` at the end for its end.
///
/// Both sides are compared in one form (RFC 9309 §2.2.2): escapes of unreserved characters are undone, in a query also those of
/// characters that need none there; bytes that are not plain ASCII are escaped, in capitals.
struct RobotsPattern: Sendable {
  /// The texts between the stars.
  private let pieces: [[UInt8]]
  private let isAnchored: Bool
  /// How specific it is.
  let length: Int

  init(_ text: String) {
    var bytes = Array(text.utf8)
    isAnchored = bytes.last == Self.dollar
    if isAnchored { bytes.removeLast() }
    pieces = Self.normal(bytes, isPattern: true).split(separator: Self.star, omittingEmptySubsequences: false)
      .map { Array($0) }
    length = pieces.reduce(pieces.count - 1) { $0 + $1.count } + (isAnchored ? 1 : 0)
  }

  /// A path in the form in which it is compared.
  static func target(_ path: String) -> [UInt8] { normal(Array(path.utf8), isPattern: false) }

  /// - Parameter steps: how many comparisons may be made. None are left after one that was given up.
  func matches(_ target: [UInt8], steps: inout Int) -> Bool {
    guard let first = pieces.first, starts(target, at: 0, first, &steps) else { return false }
    var at = first.count
    // The leftmost place of each piece leaves most room for the next one; the last must reach the end if that is asked for.
    for (index, piece) in pieces.enumerated().dropFirst() {
      if isAnchored, index == pieces.count - 1 {
        guard target.count - piece.count >= at else { return false }
        return starts(target, at: target.count - piece.count, piece, &steps)
      }
      while !starts(target, at: at, piece, &steps) {
        at += 1
        if at + piece.count > target.count || steps <= 0 { return false }
      }
      at += piece.count
    }
    return !isAnchored || pieces.count > 1 || at == target.count
  }

  private func starts(_ target: [UInt8], at: Int, _ piece: [UInt8], _ steps: inout Int) -> Bool {
    guard at + piece.count <= target.count else { return false }
    for index in piece.indices {
      steps -= 1
      if target[at + index] != piece[index] || steps <= 0 { return false }
    }
    return true
  }

  /// A star or a dollar that is meant as such stands escaped in a pattern, and so in what is compared with it.
  private static func normal(_ text: [UInt8], isPattern: Bool) -> [UInt8] {
    let bytes = text.span
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count)
    var index = 0
    var isQuery = false
    while index < bytes.count {
      if let byte = PercentCoding.escape(in: bytes, at: index, before: bytes.count) {
        if PercentCoding.isUnreserved(byte) || (isQuery && plainInQuery.contains(byte)) {
          output.append(byte)
        } else {
          PercentCoding.append(escapeOf: byte, to: &output)
        }
        index += 3
      } else {
        let byte = bytes[index]
        if byte == UInt8(ascii: "?") { isQuery = true }
        if PercentCoding.breaksRequest(byte) || byte == dollar || (byte == star && !isPattern) {
          PercentCoding.append(escapeOf: byte, to: &output)
        } else {
          output.append(byte)
        }
        index += 1
      }
    }
    return output
  }

  private static let star = UInt8(ascii: "*")
  private static let dollar = UInt8(ascii: "$")
  private static let plainInQuery = [":", "/", "?", "@"].map { UInt8(ascii: $0) }
}
