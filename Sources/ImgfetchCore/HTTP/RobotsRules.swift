/// What a robots.txt says to one robot (RFC 9309). A pure value.
///
/// The groups that name the robot count together; if there is none, those for `*` do. The longest matching rule decides, and between
/// equal ones the one that allows.
struct RobotsRules: Sendable {
  /// A line that allows or disallows.
  struct Rule: Sendable {
    let allows: Bool
    let pattern: RobotsPattern
    let line: Int
    let text: String
  }

  private(set) var rules: [Rule] = []
  /// Seconds from one request to the next, if it asks for that.
  private(set) var delay: Double?

  /// As much of a file as RFC 9309 (§2.5) wants read at least; what follows is passed over.
  static let sizeLimit = 500 << 10

  /// - Parameter robot: the product token, in lower case.
  init(_ file: [UInt8], robot: String) {
    var named = RobotsRules()
    var general = RobotsRules()
    var isNamed = false
    // Whether the group that is being read is for the robot, for all, or for others; and whether its rules have begun.
    var (isOurs, isForAll, hasBegun) = (false, false, true)
    for (index, line) in Self.lines(of: file).enumerated() {
      guard let (name, value) = Self.parts(of: line) else { continue }
      switch name {
      case "user-agent":
        if hasBegun { (isOurs, isForAll, hasBegun) = (false, false, false) }
        if Self.token(of: value) == robot { isOurs = true }
        if value == "*" { isForAll = true }
        isNamed = isNamed || isOurs
      case "allow", "disallow":
        hasBegun = true
        // An empty rule matches nothing.
        guard !value.isEmpty, isOurs || isForAll else { continue }
        let rule = Rule(
          allows: name == "allow", pattern: RobotsPattern(value), line: index + 1, text: "\(name.capitalized): \(value)"
        )
        if isOurs { named.rules.append(rule) }
        if isForAll { general.rules.append(rule) }
      case "crawl-delay":
        hasBegun = true
        guard let seconds = Double(value), seconds.isFinite, seconds >= 0 else { continue }
        if isOurs { named.delay = max(named.delay ?? 0, min(seconds, Self.longestDelay)) }
        if isForAll { general.delay = max(general.delay ?? 0, min(seconds, Self.longestDelay)) }
      // Others, such as sitemaps, belong to no group and end none.
      default: continue
      }
    }
    self = isNamed ? named : general
  }

  private init() {}

  /// Why the path (with its query) may not be fetched; nil: it may.
  func objection(to path: String) -> String? {
    // Always allowed (RFC 9309 §2.2.2).
    if path == "/robots.txt" { return nil }
    let target = RobotsPattern.target(path)
    var steps = Self.mostSteps
    var best: Rule?
    for rule in rules where rule.pattern.matches(target, steps: &steps) {
      guard let found = best else {
        best = rule
        continue
      }
      let isLonger = rule.pattern.length > found.pattern.length
      if isLonger || (rule.pattern.length == found.pattern.length && rule.allows) { best = rule }
    }
    if steps <= 0 { return "has patterns that take too long to compare" }
    guard let best, !best.allows else { return nil }
    return "does not allow it (line \(best.line): \(best.text))"
  }

  /// A day. A longer delay means one request a run.
  private static let longestDelay = 86_400.0
  /// Some milliseconds. A file of a thousand usual rules takes a hundredth of it.
  private static let mostSteps = 2_000_000
}

// MARK: - Lines

extension RobotsRules {
  private static func lines(of file: [UInt8]) -> [Substring] {
    var file = file.prefix(sizeLimit)
    if file.starts(with: [0xEF, 0xBB, 0xBF]) { file = file.dropFirst(3) }
    // A line break of two characters is one Character, so scalars are looked at.
    let text = String(decoding: file, as: UTF8.self)
    var lines: [Substring] = []
    var start = text.startIndex
    var index = start
    let scalars = text.unicodeScalars
    while index < scalars.endIndex {
      let next = scalars.index(after: index)
      if scalars[index] == "\n" || (scalars[index] == "\r" && (next == scalars.endIndex || scalars[next] != "\n")) {
        lines.append(text[start..<index])
        start = next
      }
      index = next
    }
    lines.append(text[start...])
    return lines
  }

  /// The name in lower case and the value of `name: value # remark`; nil: it is no such line.
  private static func parts(of line: Substring) -> (name: String, value: String)? {
    let record = line.unicodeScalars.prefix { $0 != "#" }
    guard let colon = record.firstIndex(of: ":") else { return nil }
    return (trimmed(record[..<colon]).lowercased(), trimmed(record[record.index(after: colon)...]))
  }

  /// The product token that a user-agent line begins with, in lower case: of `Imgfetch/1.0` it is `imgfetch`.
  private static func token(of value: String) -> String {
    String(
      String.UnicodeScalarView(
        value.lowercased().unicodeScalars.prefix { ("a"..."z").contains($0) || $0 == "-" || $0 == "_" }))
  }

  private static func trimmed(_ text: some BidirectionalCollection<Unicode.Scalar>) -> String {
    func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.value <= 0x20 }
    let rest = Array(text.drop(while: isSpace))
    let end = rest.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? 0
    return String(String.UnicodeScalarView(rest[..<end]))
  }
}

extension String {
  /// `Disallow` of `disallow`.
  fileprivate var capitalized: String { prefix(1).uppercased() + dropFirst() }
}
