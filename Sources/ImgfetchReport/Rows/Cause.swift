/// Names causes of failures.
enum Cause {
  /// `http:404`, `timeout`: the kind, and the status where the server said no.
  static func text(_ row: Row, in bytes: Span<UInt8>) -> String {
    let kind = row.errorKind.isEmpty ? "unknown" : row.errorKind.string(in: bytes, most: 32)
    guard row.errorKind.equals("http", in: bytes), let status = row.status else { return kind }
    return "\(kind):\(status)"
  }
}
