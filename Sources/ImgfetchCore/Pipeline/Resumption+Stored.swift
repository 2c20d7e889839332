// Where a resumption comes from and goes to: what stands beside a part, and a stored answer to a request for the first bytes.
extension Resumption {
  /// Of what an earlier run left; nil where its rest may not be asked for.
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

  /// Of a stored part that the whole begins with: it is as good as a body that was broken off there.
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

  /// The note that stands beside the part; nil where the validator cannot be noted as it came.
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
