/// The facts that are needed to continue an incomplete body: its length so far, its source, and the validator that
/// identifies the rest.
///
/// A value. ``RangeResume`` decides what may be joined. Within a run, this comes from the last answer; between two
/// runs, from the record in the part. A part of one origin is never continued at another.
struct Resumption: Sendable {
  private(set) var range: RangeResume
  /// The origin of the bytes.
  let origin: Origin
  let finalURL: String
  /// The answer's `Date`, as it came.
  let date: String?
  /// The fields of the answer that the body began with, or none if they are not known any more.
  let fields: HeaderFields
  /// The way by which the bytes came.
  let provenance: Provenance

  /// Creates the resumption of a body that is about to come, or nil if its answer has nothing that identifies its rest.
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

  init(
    _ range: RangeResume, of origin: Origin, finalURL: String, date: String?, fields: HeaderFields,
    provenance: Provenance
  ) {
    self.range = range
    self.origin = origin
    self.finalURL = finalURL
    self.date = date
    self.fields = fields
    self.provenance = provenance
  }

  /// The number of bytes that are there.
  var length: Int64 { Int64(range.length) }

  /// Adds the number of further bytes.
  mutating func add(_ count: Int) { range.length += count }

  /// The fields that ask a URL for the rest, or nil if only the whole may be requested.
  func fields(for url: WebURL) -> HeaderFields? { url.origin == origin ? range.requestFields : nil }
}
