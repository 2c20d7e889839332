/// The pattern of a rule in a robots.txt: the beginning of a path, in which `*` stands for anything, and a
/// `$` at the end for its end.
///
/// Both sides are compared in one form (RFC 9309 §2.2.2): escapes of unreserved characters are undone, in a query also
/// those of characters that need none there; bytes that are not plain ASCII are escaped, in capitals.
package struct RobotsPattern: Sendable {
  /// The pattern in the form for comparisons. A star stands for anything.
  let normal: ArraySlice<UInt8>
  let isAnchored: Bool

  init(_ text: some Collection<UInt8>) {
    var bytes = Array(text)
    isAnchored = bytes.last == Self.dollar
    if isAnchored { bytes.removeLast() }
    normal = Self.normal(bytes, isPattern: true)[...]
  }

  package init(_ text: String) { self.init(text.utf8) }

  /// One whose normal form is known.
  init(normal: ArraySlice<UInt8>, isAnchored: Bool) {
    self.normal = normal
    self.isAnchored = isAnchored
  }

  /// The specificity of the pattern.
  package var length: Int { normal.count + (isAnchored ? 1 : 0) }

  /// A path in the form in which it is compared.
  package static func target(_ path: String) -> [UInt8] { normal(Array(path.utf8), isPattern: false) }

  /// True if the pattern matches.
  ///
  /// - Parameter steps: the number of comparisons that may be made. None are left after one that was given up.
  package func matches(_ target: [UInt8], steps: inout Int) -> Bool {
    let first = piece(from: normal.startIndex)
    guard starts(target, at: 0, first, &steps) else { return false }
    var at = first.count
    var end = first.endIndex
    // The leftmost place of each piece leaves most room for the next one; the last must reach the
    // end if that is asked for.
    while end < normal.endIndex {
      let piece = piece(from: end + 1)
      end = piece.endIndex
      if isAnchored, end == normal.endIndex {
        guard target.count - piece.count >= at else { return false }
        return starts(target, at: target.count - piece.count, piece, &steps)
      }
      while !starts(target, at: at, piece, &steps) {
        at += 1
        if at + piece.count > target.count || steps <= 0 { return false }
      }
      at += piece.count
    }
    return !isAnchored || first.endIndex < normal.endIndex || at == target.count
  }

  /// The characters up to the next star.
  private func piece(from start: Int) -> ArraySlice<UInt8> { normal[start...].prefix { $0 != Self.star } }

  private func starts(_ target: [UInt8], at: Int, _ piece: ArraySlice<UInt8>, _ steps: inout Int) -> Bool {
    steps -= 1
    guard at + piece.count <= target.count else { return false }
    var index = at
    for byte in piece {
      steps -= 1
      if target[index] != byte || steps <= 0 { return false }
      index += 1
    }
    return true
  }

  /// The normal form. A literal star or dollar is escaped in a pattern, and so in the path that is compared with it.
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

extension RobotsPattern: CustomStringConvertible {
  /// The pattern as a file may have it.
  package var description: String { String(decoding: normal, as: UTF8.self) + (isAnchored ? "$" : "") }
}
