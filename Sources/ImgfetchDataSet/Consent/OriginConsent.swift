import ImgfetchCore

/// An origin's word on all that it has, in its robots.txt and its tdmrep.json. A pure value.
package struct OriginConsent: Sendable {
  /// A statement about the paths that a pattern matches.
  private struct Statement {
    let pattern: RobotsPattern
    let source: Consent.Source
    /// The statement as written.
    let text: String
    let uses: [StatedUse]
  }

  private var rules: RobotsRules?
  private var statements: [Statement] = []
  /// The approximate size in memory.
  package private(set) var size = 0

  package init() {}

  /// Adds the origin's robots.txt: the rules for us, and in the groups that are for us `Content-Signal` and
  /// `Content-Usage`, each behind a path where it has one.
  package mutating func add(robots file: [UInt8]) {
    rules = RobotsRules(file, robot: ImgfetchVersion.productToken)
    let usages = RobotsUsages(file, robot: ImgfetchVersion.productToken)
    for (name, value) in usages.lines {
      let (path, expression) = Self.split(value)
      let uses = name == RobotsUsages.signal ? StatedUse.contentSignal(expression) : StatedUse.contentUsage(expression)
      add(path, .robots, "\(name == RobotsUsages.signal ? "Content-Signal" : "Content-Usage"): \(value)", uses)
    }
    size += file.count
  }

  /// Adds a rule of its tdmrep.json: true if mining the paths of its pattern is reserved.
  package mutating func add(reservation: Bool, of location: String) {
    add(
      location, .reservationFile, "tdm-reservation: \(reservation ? 1 : 0) for \(location)",
      [StatedUse(.everything, allows: !reservation)])
    size += location.utf8.count + 64
  }

  private mutating func add(_ path: String, _ source: Consent.Source, _ text: String, _ uses: [StatedUse]) {
    if uses.isEmpty { return }
    statements.append(Statement(pattern: RobotsPattern(path), source: source, text: text, uses: uses))
  }

  private static func split(_ value: String) -> (path: String, expression: String) {
    guard value.utf8.first == UInt8(ascii: "/") else { return ("/", value) }
    let path = value.prefix { $0 != " " && $0 != "\t" }
    return (String(path), String(value[path.endIndex...]))
  }

  /// Returns its word on a path, with its query.
  package func consent(to path: String, for purpose: UsePurpose) -> Consent {
    if let objection = rules?.objection(to: path) { return Consent(rule: "robots.txt \(objection)") }
    let target = RobotsPattern.target(path)
    var steps = Self.mostSteps
    var consent = Consent.silent
    // In robots.txt the longest path counts, and all statements for it; in tdmrep.json the first match.
    let robots = statements.filter { $0.source == .robots && $0.pattern.matches(target, steps: &steps) }
    let longest = robots.map(\.pattern.length).max()
    for statement in robots where statement.pattern.length == longest {
      consent = consent.combined(with: Consent(statement.uses, for: purpose, statement.source, statement.text))
    }
    let file = statements.first { $0.source == .reservationFile && $0.pattern.matches(target, steps: &steps) }
    if let file { consent = consent.combined(with: Consent(file.uses, for: purpose, file.source, file.text)) }
    if steps <= 0 { return Consent(rule: "robots.txt has patterns that take too long to compare") }
    return consent
  }

  private static let mostSteps = 2_000_000
}

/// The lines of a robots.txt that state uses, in the groups for a robot (RFC 9309), or else in those for all.
struct RobotsUsages {
  static let signal = "content-signal"
  private static let usage = "content-usage"

  private(set) var lines: [(name: String, value: String)] = []

  init(_ file: [UInt8], robot: String) {
    var general: [(name: String, value: String)] = []
    var isNamed = false
    // Statements before the first group are taken as addressed to all.
    var (isOurs, isForAll, hasBegun) = (false, true, true)
    var records = RobotsLines(file.prefix(RobotsRules.sizeLimit))
    while let record = records.next() {
      switch record.name {
      case "user-agent":
        if hasBegun { (isOurs, isForAll, hasBegun) = (false, false, false) }
        if record.begins(with: robot) { isOurs = true }
        if record.value.elementsEqual("*".utf8) { isForAll = true }
        isNamed = isNamed || isOurs
      case Self.signal, Self.usage:
        hasBegun = true
        let line = (record.name, String(decoding: record.value, as: UTF8.self))
        if isOurs { lines.append(line) }
        if isForAll { general.append(line) }
      case "allow", "disallow": hasBegun = true
      default: continue
      }
    }
    if !isNamed { lines = general }
  }
}
