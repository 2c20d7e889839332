import Synchronization

/// Claims the part that a flight's answer will be kept in, so that of several processes that want the same image one
/// asks for it.
struct ClaimStage: Stage {
  let pipeline: Pipeline

  /// True if a flight may claim a part now. If it may not, `resume` is called when it may, on any thread.
  func mayRun(_ flight: Flight, orLater resume: @escaping @Sendable (Flight) -> Void) -> Bool {
    guard flight.options.policy.storesOnDisk, disk != nil else { return true }
    return pipeline.gate.admit(flight, orLater: resume)
  }

  /// Claims a part to write to, or the lock on the entry that the origin is asked about.
  func run(_ flight: Flight) -> Flight.Event {
    guard flight.options.policy.storesOnDisk, flight.hop.keepsAnswers, let disk else { return .claimed(Claim()) }
    return settle(
      flight.hop.questioned.map(disk.claimEntry) ?? disk.claimPart(flight.hop.entryKey, after: flight.hop.look), flight,
      mayWait: true)
  }

  /// Claims a part of this flight's own, without regard to another process.
  func runAlone(_ flight: Flight) -> Claim {
    switch disk?.claimPrivatePart(flight.hop.entryKey) {
    case .claimed(let part): return adopt(part, flight)
    case .unavailable(let warning): flight.hop.warnings.append(warning)
    // No other process knows of such a part.
    case .busy, .published, .lockedEntry, nil: break
    }
    return Claim()
  }

  /// Takes a part for this flight: its body goes there, and the bytes in it may be the body's beginning.
  func adopt(_ part: Part, _ flight: Flight) -> Claim { Claim(part: part, beginning: resumption.pickUp(part, flight)) }

  /// Uses the result of a claim, right away or after another process was waited for.
  func settle(_ claim: PartClaim, _ flight: Flight, mayWait: Bool) -> Flight.Event {
    switch claim {
    case .claimed(let part): return .claimed(adopt(part, flight))
    case .lockedEntry(let lock): return .claimed(Claim(lock: lock))
    case .unavailable(let warning):
      flight.hop.warnings.append(warning)
      return .claimed(Claim())
    case .published(let entry):
      if flight.hop.rules.http != nil { flight.hop.noteStoredElsewhere() }
      return .storedElsewhere(StoredCopy(entry, isJudged: false))
    case .busy(let busy):
      guard mayWait, configuration.memories == .ofTime || record.isFirstWaiting(for: flight.hop.entryKey) else {
        return .stillBusy
      }
      log.explain(flight) { "another process is fetching it: this one waits for that" }
      return .busy(busy)
    }
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
