/// A stored 206: some bytes of a whole, with the fields of its answer (RFC 9111 §3.3). It answers requests for bytes
/// within it and nothing else.
struct StoredRange {
  /// The answer as if it were the whole, for judging its freshness.
  let whole: StoredAnswer
  let total: Int64
  let range: ClosedRange<Int64>
  private let copy: StoredCopy
  var provenance: Provenance { copy.metadata.provenance }

  /// Nil if the answer does not say which bytes of how many it has, or not all of them are there.
  init?(_ copy: StoredCopy) {
    guard copy.answer.status == 206,
      let (range, total) = Self.place(copy.answer.fields, length: copy.body.count)
    else { return nil }
    self.copy = copy
    self.range = range
    self.total = total
    let answer = copy.answer
    whole = StoredAnswer(
      status: 200, fields: answer.fields, requestTime: answer.requestTime, responseTime: answer.responseTime,
      selecting: answer.selecting)
  }

  /// The range of a 206, with the length of the whole, or nil if it does not say, or has several ranges.
  static func place(_ fields: HeaderFields, length: Int64) -> (ClosedRange<Int64>, total: Int64)? {
    let stated = fields.all("content-range")
    guard stated.count == 1, let range = stated.first.flatMap(ContentRange.parse), let bytes = range.bytes,
      let total = range.total, Int64(bytes.count) == length
    else { return nil }
    return (Int64(bytes.lowerBound)...Int64(bytes.upperBound), Int64(total))
  }

  /// Appends its bytes to a part. If it throws, some may have been written.
  func copy(to part: Part) throws(CacheFailure) {
    var failure: CacheFailure?
    do throws(BodyReadFailure) {
      try copy.body.read { piece in
        guard failure == nil else { return }
        do throws(CacheFailure) { try part.write(piece) } catch { failure = error }
      }
    } catch { throw .damaged }
    if let failure { throw failure }
  }

  /// The requested bytes of the whole, or nil if some of them are not here.
  func body(of asked: ClosedRange<Int64>, spool: String) -> ImageBody? {
    guard range.contains(asked.lowerBound), range.contains(asked.upperBound) else { return nil }
    return copy.body.part(
      (asked.lowerBound - range.lowerBound)...(asked.upperBound - range.lowerBound), spool: spool)
  }
}
