import ImgfetchCore
import ImgfetchDataSet

/// The failures that the rows of a shard tell of, counted as a run counts its own.
enum StandingFailures {
  static func read(_ shard: StandingShard) throws(ShardFailure) -> [ShardTally.Failures] {
    var failures: [ShardTally.Failures] = []
    try shard.failedRows { row in
      guard let (kind, status) = failure(in: row) else { return }
      if let at = failures.firstIndex(where: { $0.kind == kind && $0.status == status }) {
        failures[at].count += 1
      } else {
        failures.append(ShardTally.Failures(kind, status: status, message: PackRow.message(kind, status)))
      }
    }
    return failures
  }

  /// The failure in a row; nil if it has no error that this version knows.
  private static func failure(in row: ArraySlice<UInt8>) -> (kind: FetchError.Kind, status: Int?)? {
    guard let error = JSONMembers.read(row)?.last(where: { $0.name == "error" }),
      let members = JSONMembers.read(error.value),
      let kind = members.first(where: { $0.name == "kind" }).flatMap({ JSONMembers.text(of: $0.value) })
    else { return nil }
    let status = members.first { $0.name == "status" }.flatMap { Int(String(decoding: $0.value, as: UTF8.self)) }
    return FetchError.Kind(rawValue: kind).map { ($0, status) }
  }
}
