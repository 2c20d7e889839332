/// The owner's word on the use of an image, as far as that can be read by a machine. A pure value.
package struct Consent: Hashable, Sendable {
  package enum Verdict: String, Sendable { case no, yes, silent }

  /// The place where it was said.
  package enum Source: String, CaseIterable, Sendable {
    case robots = "robots.txt"
    case reservationFile = "tdmrep.json"
    case contentUsage = "content-usage"
    case reservationField = "tdm-reservation"
    case robotsTag = "x-robots-tag"
    case dataMining = "iptc"
    case credentials = "c2pa"
  }

  package let verdict: Verdict
  package let source: Source?
  /// The words themselves; cut where they are long.
  package let text: String?

  /// True if the rules of a robots.txt forbid fetching it for any purpose.
  package private(set) var isOfRules = false

  package static let silent = Consent(verdict: .silent, source: nil, text: nil)

  private init(verdict: Verdict, source: Source?, text: String?) {
    self.verdict = verdict
    self.source = source
    self.text = text
  }

  /// The word of a rule of a robots.txt, which forbids to fetch it.
  init(rule text: String) {
    self.init(allows: false, .robots, text)
    isOfRules = true
  }

  package init(allows: Bool, _ source: Source, _ text: String) {
    self.init(verdict: allows ? .yes : .no, source: source, text: String(text.prefix(Self.longest)))
  }

  /// The sum of one source's statements for a purpose.
  package init(_ uses: [StatedUse], for purpose: UsePurpose, _ source: Source, _ text: String) {
    let relevant = uses.filter { $0.concerns(purpose) }
    guard let use = relevant.first(where: { !$0.allows }) ?? relevant.first else {
      self = .silent
      return
    }
    self.init(allows: use.allows, source, text)
  }

  /// Combines both: any "no" wins over any "yes", and the first statement is reported.
  package func combined(with other: Consent) -> Consent {
    if verdict == .no || other.verdict == .silent { return self }
    return other.verdict == .no || verdict == .silent ? other : self
  }

  private static let longest = 200
}
