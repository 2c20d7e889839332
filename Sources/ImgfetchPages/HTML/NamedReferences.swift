import ImgfetchCore

/// The named character references of HTML, in which a name is looked for while its bytes arrive.
struct NamedReferences: Sendable {
  /// The names that begin with the bytes so far: a range of the sorted table.
  struct Candidates: Sendable {
    fileprivate var entries: Range<Int>
    fileprivate var depth = 0
    /// The longest name that is complete.
    fileprivate(set) var found: Found?

    var isEmpty: Bool { entries.isEmpty }
  }

  /// A name that is complete.
  struct Found: Sendable {
    fileprivate let entry: Int
    /// The number of its bytes, a semicolon among them.
    let length: Int
  }

  private struct Entry {
    /// The name without a semicolon.
    let name: Range<Int>
    let points: Range<Int>
    let hasSemicolon: Bool
    var length: Int { name.count + (hasSemicolon ? 1 : 0) }
  }

  /// The table, read when a page uses the first name.
  static let all = NamedReferences()

  private let bytes: [UInt8]
  private let entries: [Entry]

  private init() {
    let bytes = Array(Self.table.utf8)
    entries = bytes.split(separator: UInt8(ascii: " ")).flatMap { line in
      let mark = line.firstIndex { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "~") } ?? line.startIndex
      return (line[mark] == UInt8(ascii: "~") ? [false, true] : [true]).map { hasSemicolon in
        Entry(name: line.startIndex..<mark, points: (mark + 1)..<line.endIndex, hasSemicolon: hasSemicolon)
      }
    }
    self.bytes = bytes
  }

  var candidates: Candidates { Candidates(entries: entries.indices) }

  func narrow(_ candidates: inout Candidates, by byte: UInt8) {
    let depth = candidates.depth
    let lower = firstEntry(in: candidates.entries) { self.byte($0, depth) >= Int(byte) }
    let upper = firstEntry(in: lower..<candidates.entries.upperBound) { self.byte($0, depth) > Int(byte) }
    candidates.entries = lower..<upper
    candidates.depth += 1
    // A name precedes those that begin with it.
    if lower < upper, entries[lower].length == depth + 1 {
      candidates.found = Found(entry: lower, length: depth + 1)
    }
  }

  /// Appends what a name stands for, in UTF-8.
  func append(_ found: Found, to text: inout [UInt8]) {
    for point in bytes[entries[found.entry].points].split(separator: UInt8(ascii: "+")) {
      let value = point.reduce(UInt32(0)) { $0 << 4 | UInt32(Hex.value($1) ?? 0) }
      if let scalar = Unicode.Scalar(value) {
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }

  /// A byte of a name, or -1 behind its end, so that shorter names come first.
  private func byte(_ entry: Int, _ depth: Int) -> Int {
    let (name, length) = (entries[entry].name, entries[entry].length)
    guard depth < length else { return -1 }
    return depth < name.count ? Int(bytes[name.lowerBound + depth]) : Int(UInt8(ascii: ";"))
  }

  private func firstEntry(in range: Range<Int>, where isAtOrBehind: (Int) -> Bool) -> Int {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if isAtOrBehind(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
