// The syntax of statements in fields and in robots.txt. Unfinished drafts are read in the versions that are named here;
// statements that these do not know are ignored.

extension StatedUse {
  /// A preference expression of `Content-Usage` (draft-ietf-aipref-attach-04, draft-ietf-aipref-vocab-04): a dictionary
  /// of structured fields (RFC 9651), whose keys are categories of use and whose values are `y` or `n`. If a key occurs
  /// twice, its last value counts.
  ///
  /// `train-genai` and `bots` are categories of earlier versions: a part of training, and all automated processing.
  package static func contentUsage(_ text: some StringProtocol) -> [StatedUse] {
    var values: [(kind: Kind, key: String, allows: Bool?)] = []
    for item in text.split(separator: ",") {
      // Parameters of the value are ignored.
      let member = trimmed(item.prefix { $0 != ";" })
      guard let equals = member.firstIndex(of: "=") else { continue }
      let key = String(member[..<equals])
      guard let kind = usages[key] else { continue }
      let allows: Bool? =
        switch member[member.index(after: equals)...] {
        case "y": true
        case "n": false
        default: nil
        }
      values.removeAll { $0.key == key }
      values.append((kind, key, allows))
    }
    return values.compactMap { value in value.allows.map { StatedUse(value.kind, allows: $0) } }
  }

  private static let usages: [String: Kind] = [
    "train-ai": .training, "train-genai": .training, "search": .search, "ai-use": .other, "bots": .everything,
  ]

  /// Content signals (contentsignals.org; draft-romm-aipref-contentsignals-00): names with `yes` or `no`, in any case.
  package static func contentSignal(_ text: some StringProtocol) -> [StatedUse] {
    text.split(separator: ",").compactMap { item in
      let member = trimmed(item).lowercased()
      guard let equals = member.firstIndex(of: "="),
        let kind = signals[trimmed(member[..<equals])]
      else { return nil }
      switch trimmed(member[member.index(after: equals)...]) {
      case "yes": return StatedUse(kind, allows: true)
      case "no": return StatedUse(kind, allows: false)
      default: return nil
      }
    }
  }

  private static let signals: [String: Kind] = ["ai-train": .training, "search": .search, "ai-input": .other]

  /// `tdm-reservation` of an answer (TDMRep, final report of the W3C's community group of 2 February 2024): 1
  /// reserves mining, 0 does not.
  package static func reservation(_ value: some StringProtocol) -> StatedUse? {
    switch trimmed(value) {
    case "1": StatedUse(.everything, allows: false)
    case "0": StatedUse(.everything, allows: true)
    default: nil
    }
  }

  /// The data-mining field of IPTC's photo metadata (2023.1), by PLUS's vocabulary (LDF, Data Mining).
  package static func dataMining(_ term: some StringProtocol) -> [StatedUse] {
    switch term {
    case "DMI-ALLOWED": [StatedUse(.everything, allows: true)]
    case "DMI-PROHIBITED-AIMLTRAINING", "DMI-PROHIBITED-GENAIMLTRAINING": [StatedUse(.training, allows: false)]
    case "DMI-PROHIBITED-EXCEPTSEARCHENGINEINDEXING":
      [StatedUse(.training, allows: false), StatedUse(.search, allows: true)]
    // A reader of the constraints named there may find that the use is allowed after all.
    case "DMI-PROHIBITED", "DMI-PROHIBITED-SEECONSTRAINT", "DMI-PROHIBITED-SEEEMBEDDEDRIGHTSEXPR",
      "DMI-PROHIBITED-SEELINKEDRIGHTSEXPR":
      [StatedUse(.everything, allows: false)]
    default: []
    }
  }

  /// Parses an entry of a training and data mining assertion (C2PA 1.4, label c2pa.training-mining; CAWG 1.1, label
  /// cawg.training-mining), by the name behind its prefix. A use that is allowed under constraints counts as not
  /// allowed, because the constraints are not read.
  package static func trainingAssertion(_ name: some StringProtocol, use: some StringProtocol) -> StatedUse? {
    let kind: Kind
    switch name {
    case "ai_training", "ai_generative_training": kind = .training
    case "data_mining": kind = .everything
    case "ai_inference": kind = .other
    default: return nil
    }
    switch use {
    case "allowed": return StatedUse(kind, allows: true)
    case "notAllowed", "constrained": return StatedUse(kind, allows: false)
    default: return nil
    }
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    let bytes = Array(text.utf8)
    let start = bytes.firstIndex { !isBlank($0) } ?? bytes.count
    let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return String(decoding: bytes[min(start, end)..<end], as: UTF8.self)
  }
}
