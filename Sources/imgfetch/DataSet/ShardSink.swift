import ImgfetchCore
import ImgfetchDataSet

/// Puts one line's image into its shard, unless its owner does not want that.
struct ShardSink: LendingSink {
  let shard: OpenShard
  /// The number of the line's record.
  let record: Int
  let consent: ConsentNote
  let rule: ConsentRule

  func lend(for request: FetchRequest, atMost length: Int64?) -> LentFile? {
    length.flatMap { shard.lend(length: $0) }
  }

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    let url = request.url.display
    if let refusal = consent.add(image, rule) { throw FetchError(.refused, url, refusal) }
    do throws(BodyReadFailure) { try shard.store(image.body, image.facts?.format, record: record) } catch {
      switch error {
      case .damaged: throw FetchError(.damaged, url, "the cached image is damaged", isTransient: true)
      case .source(let error): throw FetchError(.damaged, url, "it cannot be read: \(error.code)", isTransient: true)
      case .sink(let error): throw FetchError(.file, url, "it cannot be kept for its shard: \(error.code)")
      }
    }
    return Delivery(output: nil, isNew: true)
  }
}

/// The rule of a run for statements of owners: those that count, and those that keep an image out. A pure value.
struct ConsentRule: Sendable {
  let purpose: UsePurpose
  /// True if `noai` and `noimageai` keep it out.
  let obeysRobotsTag: Bool
  /// True if `noindex` and `noimageindex` do, too.
  let refusesNoIndex: Bool

  init(_ settings: DataSetSettings) {
    purpose = settings.purpose
    obeysRobotsTag = settings.obeysRobotsTag
    refusesNoIndex = settings.refusesNoIndex
  }

  /// Returns the word of an answer's fields.
  func consent(in fields: HeaderFields) -> Consent {
    var consent = Consent.silent
    if let value = fields.combined("content-usage") {
      consent = Consent(StatedUse.contentUsage(value), for: purpose, .contentUsage, "Content-Usage: \(value)")
    }
    if let value = fields.first("tdm-reservation"), let use = StatedUse.reservation(value) {
      consent = consent.combined(
        with: Consent([use], for: purpose, .reservationField, "tdm-reservation: \(value)"))
    }
    return consent
  }

  /// Returns the word of its X-Robots-Tag.
  func tagConsent(in fields: HeaderFields) -> Consent {
    let tags = fields.all("x-robots-tag")
    if tags.isEmpty { return .silent }
    var consent = Consent.silent
    // Not to be trained on says nothing of an index.
    for (directives, kind) in [(indexDirectives, StatedUse.Kind.everything), (["noai", "noimageai"], .training)] {
      guard let directive = RobotsTag(tags, robot: ImgfetchVersion.productToken, directives: directives).refusal else {
        continue
      }
      consent = consent.combined(
        with: Consent([StatedUse(kind, allows: false)], for: purpose, .robotsTag, "X-Robots-Tag: \(directive)"))
    }
    return consent
  }

  private var indexDirectives: [String] { refusesNoIndex ? ["noindex", "noimageindex"] : [] }

  /// Returns whether a "no" of an X-Robots-Tag keeps the image out.
  func refuses(_ tag: Consent) -> Bool {
    guard tag.verdict == .no else { return false }
    return obeysRobotsTag || indexDirectives.contains { tag.text == "X-Robots-Tag: \($0)" }
  }
}

extension RecordNote {
  mutating func append(_ consent: Consent) {
    append("consent")
    fields.append(text: "{\"verdict\":\"\(consent.verdict.rawValue)\",\"source\":")
    if let source = consent.source { fields.append(json: source.rawValue) } else { fields.append(text: "null") }
    fields.append(text: ",\"text\":")
    if let text = consent.text { fields.append(json: text) } else { fields.append(text: "null") }
    fields.append(UInt8(ascii: "}"))
  }
}
