// Broken off is not lost: what an earlier run left is gone on with, and what this one leaves is noted. On disk threads.
extension Engine {
  /// So much has come that noting how to go on is worth its two microseconds.
  static let notableLength: Int64 = 256 << 10

  /// A part is ours: it is where the body goes, and what is in it may be the body's beginning.
  func adopt(_ part: Part, _ departure: inout Departure) {
    departure.part = part
    departure.reception = pickUp(part, departure)
  }

  /// What was left in a part, or stored as one, read back from its first byte before anybody is asked for the rest; nil:
  /// the whole is asked for, and what is there is overwritten.
  ///
  /// It is read first so that nothing is asked for that could not be used: bytes that a disk has lost, or that make no
  /// image, show here.
  private func pickUp(_ part: Part, _ departure: Departure) -> Reception? {
    let flight = departure.flight
    guard flight.options.mayResume, flight.options.policy != .reload else { return nil }
    do {
      let left = try leftover(in: part)
      guard let resumption = try left ?? storedBeginning(part, departure) else { return nil }
      // Of bytes whose way is not known the rest is asked for under this run's rules, as an entry is asked about.
      let verdict = SourceRule.verdict(on: resumption.provenance, to: resumption.finalURL, flight.shared)
      if case .refused(let reason) = verdict {
        explain(flight) { "what is there from an earlier run is not gone on with: \(reason)" }
        return nil
      }
      let taker = makeTaker(part, departure)
      try taker.readBack()
      let reception = Reception(part: part)
      reception.taker = taker
      reception.resumption = resumption
      reception.isNoted = left != nil
      explain(flight) { "\(resumption.length) bytes are there from an earlier run: the rest is asked for" }
      return reception
    } catch {
      explain(flight) { "what an earlier run left cannot be used: \(error)" }
      return nil
    }
  }

  /// A body that an earlier run broke off.
  private func leftover(in part: Part) throws(CacheFailure) -> Resumption? {
    guard part.length > 0, let record = part.resume else { return nil }
    let usable = record.usableLength(of: part.length, boot: configuration.boot())
    guard usable > 0, let resumption = Resumption(record, length: usable, now: clock.wallTime()) else { return nil }
    try part.truncate(to: usable)
    return resumption
  }

  /// Under HTTP's own rules: the stored answer to a request for the body's first bytes (RFC 9111 §3.3). Where a whole is
  /// stored that the origin can be asked about, that is done instead.
  private func storedBeginning(_ part: Part, _ departure: Departure) throws(CacheFailure) -> Resumption? {
    let hop = departure.hop
    guard let request = hop.rules.http?.request, departure.validators == nil,
      !departure.flight.options.distrustsCache,
      let entry = disk?.lookup(hop.place.ofPart), let stored = StoredPart(StoredCopy(entry)),
      stored.whole.obstacle == nil, stored.whole.isSelected(by: request.fields),
      let resumption = Resumption(stored, of: hop.url, now: clock.wallTime())
    else { return nil }
    try part.truncate()
    try stored.copy(to: part)
    return resumption
  }

  func makeTaker(_ part: Part?, _ departure: Departure) -> BodyTaker {
    BodyTaker(
      url: departure.flight.request.url, options: departure.flight.shared, part: part,
      spool: .init(folder: configuration.spoolFolder))
  }

  /// Notes beside the part how to go on with it, once, so that even a killed process leaves something of use.
  func noteResumption(_ reception: Reception) {
    guard !reception.isNoted, let part = reception.part, part.length > 0 else { return }
    reception.isNoted = true
    save(reception, part, syncedLength: 0)
  }

  /// The flight is broken off in order: what came of a body that may yet be good is kept for another run.
  func keep(_ reception: Reception, after error: FetchError) {
    guard let part = reception.part else { return }
    reception.part = nil
    defer { reception.taker = nil }
    guard !error.isOfTheBody else { return part.abandon(keepForResume: false) }
    if let taker = reception.taker, taker.settle() {
      save(reception, part, syncedLength: 0)
      // The disk is waited for only where something is at stake: a hundred small bodies would take it a second.
      if part.length >= Self.notableLength, (try? part.sync()) != nil {
        save(reception, part, syncedLength: part.length)
      }
    }
    part.abandon(keepForResume: true)
  }

  /// A body that was put together is no image: the server has said one thing and sent another, or the disk lost something
  /// that showed only at the end. The whole is asked for.
  func startOver(_ reception: Reception, _ departure: Departure, _ error: FetchError) {
    workers.letGo(reception.close())
    explain(departure.flight) { "what was put together of it is no good (\(error.reason)): the whole is asked for" }
    var again = departure
    again.part = reception.part
    again.reception = nil
    reception.part = nil
    conduct(again) { [again] in $0.startOver(again) }
  }

  private func save(_ reception: Reception, _ part: Part, syncedLength: Int64) {
    if reception.resumption == nil, reception.isNotable {
      reception.resumption = reception.head.flatMap(Resumption.init)
    }
    guard let boot = configuration.boot(),
      let record = reception.resumption?.record(boot: boot, syncedLength: syncedLength)
    else { return }
    part.saveResume(record)
  }
}

extension FetchError {
  /// Whether what came is no good, so that its rest would be none either.
  var isOfTheBody: Bool {
    switch kind {
    case .notImage, .damaged, .limit, .checksum: true
    default: false
    }
  }
}
