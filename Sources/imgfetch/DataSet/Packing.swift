import ImgfetchCore

/// The data set that a run makes: which line belongs to which shard, which shards are open, and which are there already.
///
/// Lines come on the thread that reads the list, images and results on the fetcher's.
final class Packing: Sendable {
  /// The shard whose lines are being read.
  private enum Current {
    case none
    case open(OpenShard)
    /// It is there: its lines are only hashed. Nil: it is not, and only those that are there matter.
    case passed(ShardName, StandingShard?)
  }

  private struct State: ~Copyable {
    var sequence: ShardSequence
    var current = Current.none
    var open: [OpenShard] = []
    /// The lines of a shard that is passed over.
    var hasher = ContentHasher()
    var count = 0
    var isOver = false

    init(_ rule: ShardRule) { sequence = ShardSequence(rule) }
  }

  private let settings: DataSetSettings
  private let rule: ShardRule
  private let folder: ShardFolder
  private let events: PackEvents
  private let committer: ShardCommitter
  /// Whether only the shards that are there are compared.
  private let isTrial: Bool
  private let state: Guarded<State>

  /// Shards that are open at once: each has a file. With shards of the usual length the look-ahead ends before this does.
  private static let mostOpen = 64

  init(_ settings: Settings, _ folder: ShardFolder, isTrial: Bool = false, events: PackEvents) {
    let dataSet = settings.dataSet
    var rule = ShardRule(perShard: dataSet.perShard)
    rule.index = settings.list.shard?.index ?? 1
    rule.count = settings.list.shard?.count ?? 1
    rule.isByHost = dataSet.shardBy == .host
    self.settings = dataSet
    self.rule = rule
    self.folder = folder
    self.isTrial = isTrial
    self.events = events
    state = Guarded(State(rule))
    committer = ShardCommitter(folder, mostTransient: dataSet.mostTransient, events: events) { shard in
      let records = shard.records
      return Self.job(shard.name, dataSet, count: records.count, hash: records.hash)
    }
  }

  // MARK: - The job

  private static func job(_ name: ShardName, _ settings: DataSetSettings, count: Int, hash: ContentHash) -> ShardJob {
    var text: [UInt8] = []
    text.append(text: "{\"format\":1,\"shard\":\"\(name.text)\",\"records\":\(count)")
    text.append(text: ",\"hash\":\"\(hash.hex)\",\"options\":[")
    for (at, option) in settings.job.enumerated() {
      if at > 0 { text.append(UInt8(ascii: ",")) }
      text.append(json: option.value.isEmpty ? option.name : "\(option.name)=\(option.value)")
    }
    text.append(text: "]}")
    return ShardJob(text: String(decoding: text, as: UTF8.self))
  }

  static func objection(to shard: StandingShard) -> String {
    "\(shard.path): this shard is of another list or of other options; give another folder, or remove it"
  }

  // MARK: - The list

  /// Whether more lines may be read.
  var mayRead: Bool { state.withLock { $0.open.count < Self.mostOpen } }

  /// Takes the next line. Whether its image is to be fetched.
  ///
  /// - Parameters:
  ///   - index: its number among the lines, from 1.
  ///   - origin: the host that it names; nil if it makes no sense.
  func take(_ index: Int, _ text: borrowing Span<UInt8>, _ origin: Origin?, _ key: ContentHash) -> Bool {
    let (rule, record) = (rule, index - 1)
    let line = origin == nil ? ContentHash(of: text) : key
    let place = state.withLock { state in
      state.sequence.place(record: record, isOwn: origin.map { rule.owns($0, key: key) } ?? rule.owns(line))
    }
    guard let place, begin(place.shard) else { return false }
    var isOpen = false
    state.withLock { state in
      switch state.current {
      case .open(let shard):
        shard.add(record: record, text)
        isOpen = true
      case .passed:
        state.hasher.update(record: record, text)
        state.count += 1
      case .none: break
      }
    }
    // The shard may not be written before its last line has its end, which is not before this returns.
    if place.isLast { endShard() }
    return isOpen
  }

  private func begin(_ name: ShardName) -> Bool {
    let (isBegun, isOver) = state.withLock { state in
      switch state.current {
      case .none: (false, state.isOver)
      case .open(let shard): (shard.name == name, state.isOver)
      case .passed(let there, _): (there == name, state.isOver)
      }
    }
    if isBegun || isOver { return !isOver }
    do throws(StandingShard.Failure) {
      let standing = try folder.standing(name)
      state.withLock { state in
        if standing != nil || isTrial {
          state.hasher = ContentHasher()
          state.count = 0
          state.current = .passed(name, standing)
        } else {
          let shard = OpenShard(name, spoolIn: folder.path, at: SystemClock().now())
          state.open.append(shard)
          state.current = .open(shard)
        }
      }
      return true
    } catch {
      end(error.message, ExitCode.usage)
      return false
    }
  }

  /// The list was read to its end.
  func noteEndOfInput() { endShard() }

  private func endShard() {
    let (current, count, hash) = state.withLock { state in
      defer { state.current = .none }
      return (state.current, state.count, state.hasher.value)
    }
    switch current {
    case .none, .passed(_, nil): break
    case .open(let shard): if shard.close() { committer.add(shard) }
    case .passed(let name, let standing?):
      guard standing.job == Self.job(name, settings, count: count, hash: hash) else {
        return end(Self.objection(to: standing), ExitCode.usage)
      }
      if !isTrial { events.report(ShardReport(outcome: .kept, shard: standing)) }
    }
  }

  private func end(_ message: String, _ code: Int32) {
    let isFirst = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    if isFirst { events.end(message, code) }
  }

  // MARK: - The images

  private func shard(of record: Int) -> OpenShard? { state.withLock { $0.open.first { $0.holds(record: record) } } }

  /// Where the image of a line goes.
  func sink(_ index: Int) -> ShardSink? {
    shard(of: index - 1).map { ShardSink(shard: $0, record: index - 1, obeysRobotsTag: settings.obeysRobotsTag) }
  }

  /// A line has its answer.
  func finish(_ result: FetchResult, _ note: RecordNote) {
    let record = result.tag - 1
    guard let shard = shard(of: record) else { return }
    let row = PackRow.bytes(result, record: record, note)
    let isComplete = shard.finish(result, record: record, row: row, caption: note.caption)
    if shard.isBroken {
      end("\(folder.path(of: shard.name)): the shard's images cannot be written there", ExitCode.file)
    } else if isComplete {
      committer.add(shard)
    }
  }

  // MARK: - The end

  /// A shard was written, or will not be.
  func close(_ shard: OpenShard) { state.withLock { $0.open.removeAll { $0 === shard } } }

  /// Waits for the shards that are complete.
  func finish() { committer.finish() }

  /// Leaves the shard that is being written.
  func stop(atMost time: Instant.Span) {
    committer.stop()
    committer.finish(atMost: time)
  }
}

/// Puts one line's image into its shard.
struct ShardSink: ImageSink {
  fileprivate let shard: OpenShard
  fileprivate let record: Int
  fileprivate let obeysRobotsTag: Bool

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    let url = request.url.display
    if obeysRobotsTag, case let fields = image.fields.all("x-robots-tag"), !fields.isEmpty,
      let refusal = RobotsTag(fields, robot: "imgfetch").refusal
    {
      throw FetchError(.refused, url, "its answer has X-Robots-Tag: \(refusal)")
    }
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
