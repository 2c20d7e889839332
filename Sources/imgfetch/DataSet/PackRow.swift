import ImgfetchCore

/// A record's row in its shard. It holds only facts that the request and the bytes decide, so that the same bytes make
/// the same row.
enum PackRow {
  /// The fields of an image.
  private static let facts: [ResultField] = [
    .url, .finalURL, .key, .status, .mime, .format, .width, .height, .frames, .bytes, .source, .flaws,
    .fingerprints, .exif, .sha256,
  ]
  /// The fields of a failure.
  private static let ofFailure: [ResultField] = [.url, .finalURL, .key, .status]

  /// One line.
  static func bytes(_ result: FetchResult, record: Int, _ note: RecordNote) -> [UInt8] {
    var result = result
    // Nothing is known of the redirects of a failure that another record has met. A row must not depend on which of
    // them was first.
    if result.error != nil { result.finalURL = nil }
    let row = ResultRow(result, sha256: result.sha256)
    var buffer: [UInt8] = []
    buffer.append(text: "{\"record\":\"\(ShardWriter.key(record))\"")
    for field in result.error == nil ? facts : ofFailure {
      let value = field.value(in: row)
      if case .missing = value, field.isOptional || field == .source || field == .sha256 { continue }
      buffer.append(text: ",\"\(field.rawValue)\":")
      ResultJSON.append(value, to: &buffer)
    }
    if let digest = result.source?.sha256 {
      buffer.append(text: ",\"source_sha256\":\"")
      buffer.append(hex: digest)
      buffer.append(UInt8(ascii: "\""))
    }
    buffer += note.fields
    if let error = result.error {
      buffer.append(text: ",\"error\":{\"kind\":")
      buffer.append(json: error.kind.rawValue)
      buffer.append(text: ",\"status\":")
      buffer.append(text: (error.status ?? result.status).map(String.init) ?? "null")
      buffer.append(text: ",\"exit\":")
      buffer.append(number: Int64(ExitCode.code(of: error.kind)))
      buffer.append(text: ",\"message\":")
      buffer.append(json: message(error.kind, error.status ?? result.status))
      buffer.append(UInt8(ascii: "}"))
    }
    buffer.append(text: "}\n")
    return buffer
  }
}

extension PackRow {
  /// The words of a row for a failure. The whole message has times and addresses in it, which differ from run to run.
  static func message(_ kind: FetchError.Kind, _ status: Int?) -> String {
    let what =
      switch kind {
      case .name: "the host's name could not be looked up"
      case .connect: "there was no connection, or it was lost"
      case .tls: "the secure connection failed"
      case .timeout: "nothing came for too long"
      case .truncated: "the answer broke off"
      case .http: "the server said no"
      case .notImage: "what came is no image that could be used"
      case .damaged: "the image is damaged"
      case .limit: "the image is over a limit, or does not pass a filter"
      case .checksum: "the bytes are not those that the list names"
      case .offline: "it is not in the cache"
      case .file: "a file could not be read or written"
      case .refused: "a rule or the owner refuses it, or it is no URL"
      case .cancelled: "it was broken off"
      }
    return status.map { "\(what) (status \($0))" } ?? what
  }
}

/// The row that is printed about a shard.
struct ShardReport: Sendable {
  enum Outcome: String, Sendable {
    /// Made by this run.
    case made
    /// Kept: it existed already.
    case kept
    /// Another attempt made it first.
    case lost
  }

  /// A shard that is not made.
  struct Refusal: Sendable {
    let shard: ShardName
    /// The file that it would be.
    let path: String
    let tally: ShardTally
    let elapsedMilliseconds: Double
    let reason: String

    func appendJSON(to buffer: inout [UInt8]) {
      ShardReport.begin(&buffer, shard, path, "not-made")
      ShardReport.append(tally, images: tally.images, failed: tally.failed, bytes: tally.bytes, size: 0, to: &buffer)
      ShardReport.append(tally.failures, elapsedMilliseconds, to: &buffer)
      buffer.append(text: ",\"reason\":")
      buffer.append(json: reason)
      buffer.append(text: "}\n")
    }
  }

  let outcome: Outcome
  let shard: StandingShard
  /// The tally of this run's work on it; nil if it existed already.
  var tally: ShardTally?
  /// The failures in it if another attempt has made it; nil if they are those of the tally.
  var failures: [ShardTally.Failures]?
  var elapsedMilliseconds: Double = 0

  /// `outcome  shard  images  failed  bytes  milliseconds  file`.
  func appendLine(to buffer: inout [UInt8]) {
    buffer.append(text: "\(outcome.rawValue)\t\(shard.name.text)\t")
    for number in [Int64(shard.end.images), Int64(shard.end.failed), shard.size, Int64(elapsedMilliseconds)] {
      buffer.append(number: number)
      buffer.append(UInt8(ascii: "\t"))
    }
    SafeText.append(path: shard.path, to: &buffer)
    buffer.append(UInt8(ascii: "\n"))
  }

  func appendJSON(to buffer: inout [UInt8]) {
    Self.begin(&buffer, shard.name, shard.path, outcome.rawValue)
    let tally = tally ?? ShardTally()
    Self.append(
      tally, images: shard.end.images, failed: shard.end.failed, bytes: shard.end.bytes, size: shard.size, to: &buffer)
    Self.append(failures ?? tally.failures, elapsedMilliseconds, to: &buffer)
    buffer.append(text: "}\n")
  }

  private static func begin(_ buffer: inout [UInt8], _ shard: ShardName, _ path: String, _ outcome: String) {
    buffer.append(text: "{\"shard\":\"\(shard.text)\",\"file\":")
    buffer.append(json: path)
    buffer.append(text: ",\"outcome\":\"\(outcome)\"")
  }

  private static func append(
    _ tally: ShardTally, images: Int, failed: Int, bytes: Int64, size: Int64, to buffer: inout [UInt8]
  ) {
    let numbers: [(String, Int64)] = [
      ("rows", Int64(images + failed)), ("images", Int64(images)), ("failed", Int64(failed)), ("bytes", bytes),
      ("size", size), ("none", Int64(tally.none)), ("memory", Int64(tally.memory)), ("disk", Int64(tally.disk)),
      ("remote", Int64(tally.remote)), ("downloaded", tally.downloaded), ("attempts", Int64(tally.attempts)),
    ]
    for (name, number) in numbers {
      buffer.append(text: ",\"\(name)\":")
      buffer.append(number: number)
    }
  }

  private static func append(
    _ failures: [ShardTally.Failures], _ elapsedMilliseconds: Double, to buffer: inout [UInt8]
  ) {
    buffer.append(text: ",\"elapsed_ms\":")
    buffer.append(milliseconds: elapsedMilliseconds)
    buffer.append(text: ",\"failures\":[")
    for (at, failure) in failures.enumerated() {
      buffer.append(text: (at > 0 ? "," : "") + "{\"kind\":\"\(failure.kind.rawValue)\",\"status\":")
      if let status = failure.status { buffer.append(number: status) } else { buffer.append(text: "null") }
      buffer.append(text: ",\"count\":")
      buffer.append(number: failure.count)
      buffer.append(text: ",\"message\":")
      buffer.append(json: failure.message)
      buffer.append(UInt8(ascii: "}"))
    }
    buffer.append(UInt8(ascii: "]"))
  }
}
