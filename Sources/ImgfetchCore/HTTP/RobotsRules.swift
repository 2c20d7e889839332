/// The rules of a robots.txt for one robot (RFC 9309). A pure value.
///
/// The groups that name the robot count together; if there is none, those for `*` do. The longest matching
/// rule decides, and between equal ones the one that allows. The rules take no more memory than they do in the
/// file: they are in one buffer.
package struct RobotsRules: Sendable {
  /// The rules, one after the other, each behind its ``Head``.
  private var records: [UInt8] = []
  /// Seconds from one request to the next, if it asks for that.
  private(set) var delay: Double?
  /// True if the file goes on beyond the part that is read.
  private(set) var isCut = false

  /// The length that RFC 9309 (§2.5) requires to be read; the rest is ignored.
  package static let sizeLimit = 500 << 10

  /// A longer pause between requests is not waited for.
  static let longestDelay = 60.0

  /// - Parameters:
  ///   - file: the file, which is not read beyond ``sizeLimit``.
  ///   - robot: the product token, in lower case.
  package init(_ file: [UInt8], robot: String) {
    var named = RobotsRules()
    var general = RobotsRules()
    var isNamed = false
    // The current group is for the robot, for all, or for others; and its rules may have begun.
    var (isOurs, isForAll, hasBegun) = (false, false, true)
    var lines = RobotsLines(file.prefix(Self.sizeLimit))
    while let line = lines.next() {
      switch line.name {
      case "user-agent":
        if hasBegun { (isOurs, isForAll, hasBegun) = (false, false, false) }
        if line.begins(with: robot) { isOurs = true }
        if line.value.elementsEqual("*".utf8) { isForAll = true }
        isNamed = isNamed || isOurs
      case "allow", "disallow":
        hasBegun = true
        // An empty rule matches nothing.
        guard !line.value.isEmpty, isOurs || isForAll else { continue }
        let pattern = RobotsPattern(line.value)
        if isOurs { named.add(pattern, allows: line.name == "allow", line: line.number) }
        if isForAll { general.add(pattern, allows: line.name == "allow", line: line.number) }
      case "crawl-delay":
        hasBegun = true
        guard let seconds = line.seconds else { continue }
        if isOurs { named.delay = max(named.delay ?? 0, seconds) }
        if isForAll { general.delay = max(general.delay ?? 0, seconds) }
      // Others, such as sitemaps, belong to no group and end none.
      default: continue
      }
    }
    self = isNamed ? named : general
    if file.count > Self.sizeLimit { isCut = true }
  }

  private init() {}

  var size: Int { records.count }

  /// The reason why the path (with its query) may not be fetched, or nil if it may.
  package func objection(to path: String) -> String? {
    // Always allowed (RFC 9309 §2.2.2).
    if path == "/robots.txt" { return nil }
    let target = RobotsPattern.target(path)
    var steps = Self.mostSteps
    var best: (head: Head, pattern: RobotsPattern)?
    var at = 0
    while at < records.count {
      let head = Head(records, at: at)
      let start = at + Head.size
      at = start + head.length
      let pattern = RobotsPattern(normal: records[start..<at], isAnchored: head.isAnchored)
      // Only one that would decide need be compared.
      if let found = best {
        guard pattern.length > found.pattern.length || (pattern.length == found.pattern.length && head.allows) else {
          continue
        }
      }
      if pattern.matches(target, steps: &steps) { best = (head, pattern) }
      if steps <= 0 { return "has patterns that take too long to compare" }
    }
    guard let best, !best.head.allows else { return nil }
    return "does not allow it (line \(best.head.line): Disallow: \(best.pattern))"
  }

  /// The reason why nothing of the origin is fetched, or nil if it is.
  var obstacle: String? {
    guard let delay, delay > Self.longestDelay else { return nil }
    return
      "asks for \(Int64(delay)) seconds from one request to the next, and \(Int(Self.longestDelay)) are waited at most"
  }

  /// The most steps of matching: some milliseconds. A file of a thousand usual rules takes a hundredth of that.
  private static let mostSteps = 2_000_000
}

extension RobotsRules {
  /// The head of a rule, before its pattern.
  private struct Head {
    let allows: Bool
    let isAnchored: Bool
    /// The number of its line in the file.
    let line: Int
    /// The bytes of the pattern.
    let length: Int

    static let size = 6
    private static let maxLine = 0x3F_FFFF

    init(allows: Bool, isAnchored: Bool, line: Int, length: Int) {
      self.allows = allows
      self.isAnchored = isAnchored
      self.line = min(line, Self.maxLine)
      self.length = length
    }

    init(_ bytes: [UInt8], at start: Int) {
      func number(_ offset: Int) -> Int { (0..<3).reduce(0) { $0 << 8 | Int(bytes[start + offset + $1]) } }
      let first = number(0)
      allows = first & 1 != 0
      isAnchored = first & 2 != 0
      line = first >> 2
      length = number(3)
    }

    func append(to bytes: inout [UInt8]) {
      for number in [line << 2 | (isAnchored ? 2 : 0) | (allows ? 1 : 0), length] {
        for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
      }
    }
  }

  private mutating func add(_ pattern: RobotsPattern, allows: Bool, line: Int) {
    let bytes = pattern.normal
    // Escaping makes a pattern longer than it was.
    guard records.count + Head.size + bytes.count <= Self.sizeLimit else {
      isCut = true
      return
    }
    Head(allows: allows, isAnchored: pattern.isAnchored, line: line, length: bytes.count).append(to: &records)
    records += bytes
  }
}

/// The lines `name: value # remark` of a robots.txt, one by one.
package struct RobotsLines {
  package struct Line {
    /// The name in lower case, cut to the length of those that matter.
    package let name: String
    package let value: ArraySlice<UInt8>
    let number: Int

    /// True if the product token at the value's beginning is that robot's: of `Imgfetch/1.0` it is `imgfetch`.
    package func begins(with robot: String) -> Bool {
      let token = value.prefix { byte in
        ("a"..."z").contains(Unicode.Scalar(URLHost.lower(byte))) || byte == UInt8(ascii: "-")
          || byte == UInt8(ascii: "_")
      }
      return token.lazy.map(URLHost.lower).elementsEqual(robot.utf8)
    }

    var seconds: Double? {
      guard value.count <= 32, let seconds = Double(String(decoding: value, as: UTF8.self)), seconds >= 0,
        seconds < 1e15
      else { return nil }
      return seconds
    }
  }

  private let file: ArraySlice<UInt8>
  private var at: Int
  private var number = 0

  package init(_ file: ArraySlice<UInt8>) {
    self.file = file.starts(with: [0xEF, 0xBB, 0xBF]) ? file.dropFirst(3) : file
    at = self.file.startIndex
  }

  /// The next line with a name, or nil if there is none.
  package mutating func next() -> Line? {
    while at < file.endIndex {
      number += 1
      let line = file[at...].prefix { $0 != 0x0A && $0 != 0x0D }
      at = line.endIndex
      if at < file.endIndex {
        let isPair = file[at] == 0x0D && at + 1 < file.endIndex && file[at + 1] == 0x0A
        at += isPair ? 2 : 1
      }
      let record = line.prefix { $0 != UInt8(ascii: "#") }
      guard let colon = record.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let name = Self.trimmed(record[..<colon]).prefix(16).map(URLHost.lower)
      return Line(
        name: String(decoding: name, as: UTF8.self), value: Self.trimmed(record[(colon + 1)...]), number: number)
    }
    return nil
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text.drop { $0 <= 0x20 }
    while let last = text.last, last <= 0x20 { text.removeLast() }
    return text
  }
}
