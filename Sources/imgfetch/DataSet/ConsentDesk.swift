import ImgfetchCore
import ImgfetchDataSet

/// Asks each origin once in a run about the permitted use of its images, and keeps the lines of that origin waiting
/// meanwhile.
///
/// The request is for robots.txt, and with a purpose for tdmrep.json, too: through the caches, with the run's own
/// rules, retries and redirects.
final class ConsentDesk: Sendable {
  /// The knowledge of an origin.
  struct Known: Sendable {
    var said = OriginConsent()
    /// The file that could not be had, and the reason: a failure of all its lines, for this attempt.
    fileprivate(set) var failure: (source: Consent.Source, file: String, error: FetchError)?

    /// Notes a failure. That of robots.txt counts, whichever comes first.
    fileprivate mutating func note(_ error: FetchError, of file: File) {
      guard file == .robots || failure == nil else { return }
      failure = (file == .robots ? .robots : .reservationFile, String(file.rawValue.dropFirst()), error)
    }
  }

  private enum Entry {
    case asked(missing: Int, Known)
    case known(Known)
  }

  private struct State {
    var entries: [Origin: Entry] = [:]
    /// The lines that wait for an origin that is asked, each added in place: an origin may have a million.
    var waiting: [Origin: [@Sendable (Known) -> Void]] = [:]
    var size = 0
    /// The words for which images were not requested where a redirect or a mirror led, by the hashes of their keys.
    var refusals: [ContentHash: Consent] = [:]
  }

  private let fetcher: Fetcher
  private let options: FetchOptions
  private let files: [File]
  private let state = Guarded(State())

  /// The files that are asked for.
  fileprivate enum File: String {
    case robots = "/robots.txt"
    case reservations = "/.well-known/tdmrep.json"
  }

  /// The bytes beyond which statements are forgotten, and asked for again when they are needed.
  private static let mostBytes = 16 << 20
  /// The number of refusals beyond which they are forgotten. Each is read as soon as its flight has ended.
  private static let mostRefusals = 1 << 16

  /// - Parameters:
  ///   - options: The options of the run's images.
  ///   - purpose: The purpose of the data set. With `any`, only robots.txt is requested.
  init(_ fetcher: Fetcher, _ options: FetchOptions, _ purpose: UsePurpose) {
    self.fetcher = fetcher
    files = purpose == .any ? [.robots] : [.robots, .reservations]
    var options = options.forOriginRules
    // The absence of a file is kept in the caches, too: a run without a network knows of it.
    options.acceptedStatuses = Self.statuses
    options.ageLimit = Self.longestAge
    self.options = options
  }

  /// All that answers the question. A 4xx says that there is no such file (RFC 9309 §2.3.1.3), except for those of a
  /// server that may answer later: 408, 425 and 429.
  private static let statuses = StatusSet([200...299, 400...407, 409...424, 426...428, 430...499])

  /// RFC 9309 §2.4.
  private static let longestAge = 24.0 * 3600

  /// Calls `then` when it is known what an origin says, perhaps before this returns.
  func ask(_ origin: Origin, then: @escaping @Sendable (Known) -> Void) {
    let (known, isFirst): (Known?, Bool) = state.withLock { state in
      switch state.entries[origin] {
      case .known(let known)?: return (known, false)
      case .asked?:
        state.waiting[origin, default: []].append(then)
        return (nil, false)
      case nil:
        state.entries[origin] = .asked(missing: files.count, Known())
        state.waiting[origin] = [then]
        return (nil, true)
      }
    }
    if let known { return then(known) }
    guard isFirst else { return }
    for file in files { ask(origin, for: file) }
    fetcher.kick()
  }

  /// Notes why an image was not requested where a redirect or a mirror led.
  func note(refusal: Consent, of key: String) {
    state.withLock { state in
      if state.refusals.count >= Self.mostRefusals { state.refusals = [:] }
      state.refusals[ContentHash(of: key)] = refusal
    }
  }

  /// The last such refusal of an image in this run; nil if there was none.
  func refusal(of key: String) -> Consent? { state.withLock { $0.refusals[ContentHash(of: key)] } }

  private func ask(_ origin: Origin, for file: File) {
    guard let url = try? WebURL("\(origin)\(file.rawValue)") else { return learn(origin) { _ in } }
    let sink = StatementSink()
    var request = FetchRequest(url, options: options, for: .originRules(), sink: sink)
    request.priority = .high
    fetcher.submit(request) { [self] result in
      learn(origin) { Self.note(result, sink.bytes, of: file, origin, &$0) }
    }
  }

  private func learn(_ origin: Origin, _ change: (inout Known) -> Void) {
    let (known, waiting): (Known, [@Sendable (Known) -> Void]) = state.withLock { state in
      guard case .asked(let missing, var known)? = state.entries[origin] else { return (Known(), []) }
      change(&known)
      guard missing <= 1 else {
        state.entries[origin] = .asked(missing: missing - 1, known)
        return (known, [])
      }
      if state.size > Self.mostBytes {
        state.size = 0
        state.entries = state.entries.filter { if case .asked = $0.value { true } else { false } }
      }
      state.size += known.said.size + 256
      state.entries[origin] = .known(known)
      return (known, state.waiting.removeValue(forKey: origin) ?? [])
    }
    for then in waiting { then(known) }
  }

  private static func note(
    _ result: FetchResult, _ bytes: [UInt8], of file: File, _ origin: Origin, _ known: inout Known
  ) {
    guard let error = result.error else {
      guard result.status.map({ $0 < 400 }) ?? true else { return }
      switch file {
      case .robots: known.said.add(robots: bytes)
      case .reservations:
        for rule in ReservationFile.rules(in: bytes) { known.said.add(reservation: rule.isReserved, of: rule.location) }
      }
      return
    }
    let status = error.status ?? 0
    switch error.kind {
    // A 4xx says that there is none, and so does a redirect that is not followed (RFC 9309 §2.3.1.2, §2.3.1.3).
    case .http where status < 500 && status != 429: return
    case .limit where file != .robots: return
    case .refused, .notImage, .damaged, .checksum: return
    // Without a network nothing is known of an origin that was never asked. A robots.txt that is too large has rules,
    // which are not known.
    case .http, .offline, .limit:
      known.note(
        FetchError(
          .refused, error.subject, "\(file.rawValue) of \(origin.hostAndPort) could not be had: \(error.reason)",
          isTransient: error.kind != .limit), of: file)
    case .name, .connect, .tls, .timeout, .truncated, .file, .cancelled: known.note(error, of: file)
    }
  }
}

/// Takes a robots.txt or a tdmrep.json in.
private final class StatementSink: ImageSink {
  private let taken = Guarded<[UInt8]>([])

  /// The bytes of a robots.txt that are read (RFC 9309 §2.5). A tdmrep.json is shorter.
  private static let most = 500 << 10

  var bytes: [UInt8] { taken.withLock { $0 } }

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    let bytes = image.body.bytes(from: 0, atMost: Self.most)
    taken.withLock { $0 = bytes }
    return Delivery(output: nil, isNew: true)
  }
}

/// The rules of a tdmrep.json (TDMRep, final report of the W3C's community group of 2 February 2024): an array of
/// objects, each with a pattern of paths and whether mining is reserved there.
enum ReservationFile {
  /// Returns the rules. There are none in a page, with which many servers answer every request.
  static func rules(in bytes: [UInt8]) -> [(location: String, isReserved: Bool)] {
    guard String(validating: bytes, as: UTF8.self) != nil, let objects = JSONMembers.elements(bytes[...]) else {
      return []
    }
    return objects.compactMap { object in
      let members = JSONMembers.read(object) ?? []
      func value(_ name: String) -> ArraySlice<UInt8>? { members.last { $0.name == name }?.value }
      guard let location = value("location").flatMap(JSONMembers.text), let number = value("tdm-reservation") else {
        return nil
      }
      let text = JSONMembers.text(of: number) ?? String(decoding: number, as: UTF8.self)
      return StatedUse.reservation(text).map { (location, !$0.allows) }
    }
  }
}
