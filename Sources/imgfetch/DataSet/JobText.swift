import ImgfetchCore

/// The job of a shard, as the shard states it: the options that decide its records, its images and their bytes. Each is
/// written by its value, so that 256M and 268435456, or two orders of one set, are the same job.
enum JobText {
  typealias Row = (id: FlagID, value: @Sendable (Settings) -> String)

  /// The options that decide which records belong to a shard.
  static let membership: [Row] = [
    (.null, { "\($0.list.isNullEnded)" }),
    (.listFormat, { $0.list.format.rawValue }),
    (.urlColumn, { $0.list.columns.url ?? "" }),
    (.captionColumn, { $0.list.columns.caption ?? "" }),
    (.idColumn, { $0.list.columns.id ?? "" }),
    (.hashColumn, { $0.list.columns.hash ?? "" }),
    (.where, { set($0.list.columns.filters.map(\.text)) }),
    // The images that a source names are its records. Sets without sources do not depend on them.
    (.kind, { $0.find.sources.isEmpty ? "" : set($0.find.kinds.map(\.rawValue)) }),
    (.allSizes, { $0.find.sources.isEmpty ? "" : "\($0.find.listsAllSizes)" }),
    (.base, { $0.find.sources.isEmpty ? "" : $0.find.base?.display ?? "" }),
    (.sameHost, { $0.find.sources.isEmpty ? "" : "\($0.find.isSameHost)" }),
    (.perShard, { "\($0.dataSet.perShard)" }),
    (.shardBy, { $0.dataSet.shardBy.rawValue }),
    // Where parts are hosts, their number decides, and among how many a large host is divided.
    (.shard, { $0.dataSet.shardBy == .host ? "\($0.list.part?.count ?? 1)" : "" }),
    (.splitHost, { set($0.dataSet.splitHosts) }),
    (.perHost, { $0.dataSet.splitHosts.isEmpty ? "" : "\($0.fetcher.perHost ?? 0)" }),
  ]

  /// The options that decide which images the records become. The steps of a transform count besides.
  static let options: [Row] = [
    (.purpose, { $0.dataSet.purpose.rawValue }),
    (.refuseNoindex, { "\($0.dataSet.refusesNoIndex)" }),
    (.ignoreRobotsTag, { "\(!$0.dataSet.obeysRobotsTag)" }),
    (.allowHost, { set($0.fetch.allowedHosts) }),
    (.denyHost, { set($0.fetch.deniedHosts) }),
    (.denyPrivate, { "\($0.fetch.publicAddressesOnly)" }),
    (.robots, { "\($0.fetch.obeysRobots)" }),
    (.refuseTag, { set($0.fetch.refusedTags) }),
    (.keyIgnoreQuery, { "\($0.cache.keys.ignoreQuery)" }),
    (.keyIgnoreParam, { set($0.cache.keys.ignoredParameters) }),
    (.maxRedirects, { "\($0.fetch.maximumRedirects)" }),
    (.allowDowngrade, { "\($0.fetch.allowsDowngrade)" }),
    // An answer that would be refused for its certificate becomes an image.
    (.insecure, { "\($0.fetcher.isInsecure)" }),
    (.maxBytes, { "\($0.fetch.maximumBytes)" }),
    (.acceptStatus, { statuses($0.fetch.acceptedStatuses) }),
    (.verify, { $0.fetch.verification.name }),
    (.strict, { "\($0.fetch.filter.refusesFlaws)" }),
    (.maxPixels, { "\($0.fetch.maximumPixels)" }),
    (.minSize, { "\($0.fetch.filter.minimumWidth)x\($0.fetch.filter.minimumHeight)" }),
    (.maxAspect, { $0.fetch.filter.maximumAspect.map { "\($0)" } ?? "" }),
    (.without, { set($0.fetch.filter.refusedFormats.map(\.rawValue)) }),
    (.memberExt, { $0.dataSet.memberExtension ?? "" }),
    (.onlyFormat, { $0.fetch.filter.formats.map { set($0.map(\.rawValue)) } ?? "" }),
    (.convert, { $0.transform.target.name }),
    (.quality, { quality($0.transform) }),
    (.speed, { "\($0.transform.speed ?? ImageEncoder.Options().speed)" }),
    (.background, { colour($0.transform.background) }),
    (.strip, { "\($0.transform.strips)" }),
    (.keepMetadata, { "\($0.transform.keepsMetadata)" }),
    // It is the unusual that is told.
    (.autoOrient, { $0.transform.keepsOrientation ? "no" : "" }),
    (.firstFrame, { "\($0.transform.takesFirstFrame)" }),
    (.unique, { $0.rows.unique?.text ?? "" }),
    (.checksum, { "\($0.report.checksum)" }),
    (.header, { headers($0.fetch.headers) }),
    // In the order of preference.
    (.acceptFormats, { $0.fetch.acceptedFormats.map(\.rawValue).joined(separator: " ") }),
    // Fingerprints and what the camera wrote down.
    (.fingerprint, { $0.fetch.details.bits == 0 ? "" : "\($0.fetch.details.bits)" }),
  ]

  /// A JSON array of all of them, the defaults too, so that it does not depend on a version's defaults.
  static func membership(_ settings: Settings) -> String { array(entries(membership, settings)) }

  static func options(_ settings: Settings) -> String {
    array(entries(options, settings) + settings.transform.steps.map(\.text))
  }

  private static func entries(_ rows: [Row], _ settings: Settings) -> [String] {
    rows.map { "\($0.id.flag.long)=\($0.value(settings))" }
  }

  private static func array(_ entries: [String]) -> String {
    var text: [UInt8] = []
    for entry in entries {
      text.append(text: text.isEmpty ? "[" : ",")
      text.append(json: entry)
    }
    return text.isEmpty ? "[]" : String(decoding: text, as: UTF8.self) + "]"
  }

  /// Sets have no order.
  private static func set(_ words: some Sequence<String>) -> String { Set(words).sorted().joined(separator: " ") }

  /// The statuses as the fewest ranges.
  private static func statuses(_ statuses: StatusSet) -> String {
    var ranges: [ClosedRange<Int>] = []
    for range in statuses.ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = ranges.last, range.lowerBound <= last.upperBound + 1 {
        ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
    }
    return ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
  }

  /// The number itself; by default that of each format that may be written.
  private static func quality(_ transform: ImageTransform) -> String {
    if let quality = transform.quality { return "\(quality)" }
    let formats: [ImageFormat] =
      switch transform.target {
      case .same: ImageFormat.allCases.filter(\.isConversionTarget)
      case .byAlpha: [.png, .jpeg]
      case .format(let format): [format]
      }
    return formats.map { "\($0.rawValue) \($0.defaultQuality)" }.sorted().joined(separator: " ")
  }

  /// The fields by which a server may choose what it answers. Credentials change from node to node, and what may be a
  /// token stands in no data set.
  private static func headers(_ headers: [(name: String, value: String?)]) -> String {
    set(
      headers.compactMap { field in
        let nature = FieldNature.of(field.name)
        guard nature.isDisjoint(with: [.credential, .tracing]) else { return nil }
        guard let value = field.value else { return field.name.lowercased() + ";" }
        let text = nature.contains(.shown) ? value : ContentHash(of: value).hex
        return "\(field.name.lowercased()): \(text)"
      })
  }

  private static func colour(_ colour: ImageTransform.Colour) -> String {
    "\(colour.red),\(colour.green),\(colour.blue)"
  }
}

extension ImageTransform.Target {
  fileprivate var name: String {
    switch self {
    case .same: ""
    case .byAlpha: "by alpha"
    case .format(let format): format.rawValue
    }
  }
}
