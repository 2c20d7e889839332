/// What a body that came in part can be gone on with: how much of it is there, where it came from, and by what its rest is
/// known.
///
/// A value. ``RangeResume`` says what may be joined; this keeps it for a flight, in one run by what the last answer said,
/// between two runs by what stands beside the part. A part of one origin is never gone on with at another.
struct Resumption: Sendable {
  private(set) var range: RangeResume
  /// Whom the bytes came from.
  let origin: Origin
  let finalURL: String
  private let date: String?
  /// What the answer said that the body began with; empty where that is not known any more.
  let fields: HeaderFields
  /// Which way the bytes came that are there.
  let provenance: Provenance

  /// Of an answer whose body is about to come; nil where it says nothing by which its rest could be known.
  init?(_ head: AnswerHead) {
    guard head.status == 200 else { return nil }
    let validators = Validators(head.fields, now: head.responseTime)
    date = head.fields.first("date")
    let sent = date.flatMap { HTTPDate.parse($0, now: head.responseTime) }
    guard validators.isStrongForRange(date: sent) else { return nil }
    range = RangeResume(
      length: 0, total: head.contentLength.flatMap { Int(exactly: $0) }, validators: validators, date: sent)
    origin = head.url.origin
    finalURL = head.url.requestURL
    fields = head.fields
    provenance = head.provenance
  }

  /// Of what an earlier run left; nil where its rest may not be asked for.
  init?(_ record: ResumeRecord, length: Int64, now: WallTime) {
    guard let url = try? WebURL(record.finalURL), let length = Int(exactly: length) else { return nil }
    let etag = record.etag.map { EntityTag(bytes: Array($0.utf8)) }
    range = RangeResume(
      length: length, total: record.total.flatMap { Int(exactly: $0) },
      validators: Validators(etag: etag, lastModified: record.lastModified, now: now),
      date: record.date.flatMap { HTTPDate.parse($0, now: now) })
    guard range.requestFields != nil else { return nil }
    origin = url.origin
    finalURL = record.finalURL
    date = record.date
    fields = HeaderFields(encoded: record.fields.span)
    provenance = record.provenance
  }

  /// Of a stored part that the whole begins with: it is as good as a body that was broken off there.
  init?(_ part: StoredPart, of url: WebURL, now: WallTime) {
    guard part.range.lowerBound == 0, let total = Int(exactly: part.total) else { return nil }
    fields = part.whole.fields
    provenance = part.provenance
    date = fields.first("date")
    range = RangeResume(
      length: part.range.count, total: total, validators: Validators(fields, now: now),
      date: date.flatMap { HTTPDate.parse($0, now: now) })
    guard range.requestFields != nil else { return nil }
    origin = url.origin
    finalURL = url.requestURL
  }

  /// How many bytes are there.
  var length: Int64 { Int64(range.length) }

  /// So many more have come.
  mutating func add(_ count: Int) { range.length += count }

  /// The fields that ask a URL for the rest; nil where only the whole may be asked for.
  func fields(for url: WebURL) -> HeaderFields? { url.origin == origin ? range.requestFields : nil }

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

extension AnswerHead {
  /// The head of the whole answer, of which this is the rest's: what was said of the whole before, updated by what is
  /// said now (RFC 9111 §3.4), with the length of the whole.
  func completing(_ earlier: HeaderFields, _ provenance: Provenance) -> AnswerHead {
    guard status == 206 else { return self }
    let total = fields.first("Content-Range").flatMap(ContentRange.parse)?.total
    var whole = earlier
    // As after a 304: the age counts from this answer.
    for name in ["Age", "Date"] { whole.remove(name) }
    _ = whole.update(from: fields)
    for name in ["Content-Range", "Content-Length"] { whole.remove(name) }
    if let total { whole.append("Content-Length", String(total)) }
    return AnswerHead(
      url: url, status: 200, fields: whole, contentLength: total.map(Int64.init), requestTime: requestTime,
      responseTime: responseTime, provenance: provenance.confirmed(by: self.provenance))
  }
}
