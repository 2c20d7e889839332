import Synchronization

/// Resumes the download that an earlier run left in a part, and records how to resume this one. Runs on disk threads.
struct PartResumption: Stage {
  let pipeline: Pipeline

  /// The length from which a part gets its record for resuming while it grows, and from which the disk is waited for
  /// when the flight is stopped. Writing a record takes two microseconds. Shorter parts get one if they take long, or
  /// are kept.
  static let notableLength: Int64 = 256 << 10

  /// Reads the bytes left in a part, or stored as a range, from the first one on, before the origin is asked for the
  /// rest. Returns nil if the whole has to be requested, and those bytes are overwritten.
  ///
  /// They are read first so that no rest is requested for useless bytes: bytes that a disk has lost, or that are no
  /// image, are noticed here.
  func pickUp(_ part: Part, _ flight: Flight) -> BodyQueue? {
    guard flight.shared.mayResume, flight.options.policy != .reload else { return nil }
    do {
      let left = try leftover(in: part)
      guard let resumption = try left ?? storedBeginning(part, flight) else { return nil }
      // If the route of the bytes is not known, the rest is requested under this run's rules, as an entry would be
      // revalidated.
      let verdict = ProvenanceRule.verdict(on: resumption.provenance, to: resumption.finalURL, flight.shared)
      if case .refused(let reason) = verdict {
        log.explain(flight) { "what is there from an earlier run is not gone on with: \(reason)" }
        return nil
      }
      let writer = bodyWriter(part, flight)
      try writer.readBack()
      let body = BodyQueue(part: part)
      body.writer = writer
      body.resumption = resumption
      body.isNoted = left != nil
      log.explain(flight) { "\(resumption.length) bytes are there from an earlier run: the rest is asked for" }
      return body
    } catch {
      log.explain(flight) { "what an earlier run left cannot be used: \(error)" }
      return nil
    }
  }

  /// The resumption of a body that an earlier run broke off.
  private func leftover(in part: Part) throws(CacheFailure) -> Resumption? {
    guard part.length > 0, let record = part.resume else { return nil }
    let usable = record.usableLength(of: part.length, boot: configuration.boot())
    guard usable > 0, let resumption = Resumption(record, length: usable, now: clock.wallTime()) else { return nil }
    try part.truncate(to: usable)
    return resumption
  }

  /// The resumption of a stored answer to a request for the body's first bytes, under HTTP's own rules (RFC 9111 §3.3).
  /// Nil if a whole answer is stored that the origin can be asked about.
  private func storedBeginning(_ part: Part, _ flight: Flight) throws(CacheFailure) -> Resumption? {
    guard let request = flight.hop.rules.http?.request, flight.hop.condition == nil, !flight.shared.distrustsCaches,
      let entry = disk?.lookup(flight.hop.entryKey.ofPart), let stored = StoredRange(StoredCopy(entry)),
      stored.whole.obstacle == nil, stored.whole.isSelected(by: request.fields),
      let resumption = Resumption(stored, of: flight.hop.url, now: clock.wallTime())
    else { return nil }
    try part.truncate()
    try stored.copy(to: part)
    return resumption
  }

  /// Makes the writer of a flight's body.
  ///
  /// - Parameter length: the length of the whole body, according to the answer.
  func bodyWriter(_ part: Part?, _ flight: Flight, length: Int64? = nil) -> BodyWriter {
    var spool = BodyWriter.Spool(folder: configuration.spoolFolder)
    let leader = flight.leader
    // The derived image goes to the sink, and not the received one.
    if leader.request.derivation == nil {
      // The sink is asked whether it lends only when there is something to lend for: the question takes 2 µs,
      // and most bodies are small.
      spool.lend = {
        (leader.request.sink as? any LendingSink)?.lend(for: leader.request, atMost: length)
      }
    }
    return BodyWriter(
      url: leader.request.url, options: leader.request.shared, part: part, spool: spool,
      formats: configuration.ownFormats, flight: flight.id, observers: log.observers)
  }

  /// Records in the part how to resume it, once, so that a killed process leaves something useful.
  func note(_ body: BodyQueue) {
    guard !body.isNoted, let part = body.part, part.length > 0 else { return }
    body.isNoted = true
    save(body, part, syncedLength: 0)
  }

  /// Keeps the received bytes of a body for another run, when the flight is stopped in order.
  ///
  /// - Parameter error: the failure that ended it. Nil means that the flight continues elsewhere.
  func keep(_ body: BodyQueue, after error: FetchError?) {
    guard let part = body.part else { return }
    body.part = nil
    defer { body.writer = nil }
    guard error?.isOfTheBody != true else { return part.abandon(keepForResume: false) }
    if let writer = body.writer, writer.settle() {
      save(body, part, syncedLength: 0)
      // The disk is waited for only if enough bytes are at stake: for a hundred small bodies that would take a second.
      if part.length >= Self.notableLength, (try? part.sync()) != nil { save(body, part, syncedLength: part.length) }
    }
    part.abandon(keepForResume: true)
  }

  private func save(_ body: BodyQueue, _ part: Part, syncedLength: Int64) {
    if body.resumption == nil, body.isNotable { body.resumption = body.head.flatMap(Resumption.init) }
    guard let boot = configuration.boot(),
      let record = body.resumption?.record(boot: boot, syncedLength: syncedLength)
    else { return }
    part.saveResume(record)
  }
}

// The sources and the record of a resumption: the note in a part, and a stored answer to a request for the first bytes.
extension Resumption {
  /// Creates the resumption of a part that an earlier run left, or nil if its rest may not be requested.
  init?(_ record: ResumeRecord, length: Int64, now: WallTime) {
    guard let url = try? WebURL(record.finalURL), let length = Int(exactly: length) else { return nil }
    let etag = record.etag.map { EntityTag(bytes: Array($0.utf8)) }
    let range = RangeResume(
      length: length, total: record.total.flatMap { Int(exactly: $0) },
      validators: Validators(etag: etag, lastModified: record.lastModified, now: now),
      date: record.date.flatMap { HTTPDate.parse($0, now: now) })
    guard range.requestFields != nil else { return nil }
    self.init(
      range, of: url.origin, finalURL: record.finalURL, date: record.date,
      fields: HeaderFields(encoded: record.fields.span), provenance: record.provenance)
  }

  /// Creates the resumption of a stored range that begins the whole, which can be continued like a body that was broken
  /// off.
  init?(_ part: StoredRange, of url: WebURL, now: WallTime) {
    guard part.range.lowerBound == 0, let total = Int(exactly: part.total) else { return nil }
    let fields = part.whole.fields
    let date = fields.first("date")
    let range = RangeResume(
      length: part.range.count, total: total, validators: Validators(fields, now: now),
      date: date.flatMap { HTTPDate.parse($0, now: now) })
    guard range.requestFields != nil else { return nil }
    self.init(
      range, of: url.origin, finalURL: url.requestURL, date: date, fields: fields, provenance: part.provenance)
  }

  /// The note for the part, or nil if the validator cannot be noted as it came.
  func record(boot: String, syncedLength: Int64) -> ResumeRecord? {
    var etag: String?
    if let tag = range.validators.etag {
      guard let text = String(validating: tag.bytes, as: UTF8.self) else { return nil }
      etag = text
    }
    return ResumeRecord(
      boot: boot, finalURL: finalURL, etag: etag, lastModified: range.validators.lastModified, date: date,
      total: range.total.map(Int64.init), syncedLength: syncedLength, fields: fields.encoded(), provenance: provenance)
  }
}
