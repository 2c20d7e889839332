import ImgfetchCore
import ImgfetchDataSet

/// A record's row in its shard. It holds only facts that the request and the bytes decide, so that the same bytes make
/// the same row.
enum PackRow {
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
    result.finalURL = result.error == nil ? finalURL(of: result) : nil
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
      buffer.append(text: ",\"error\":")
      ObjectWriter.append(to: &buffer) { object in
        object.text("kind", error.kind.rawValue)
        object.number("status", error.status ?? result.status)
        object.number("exit", Int64(ExitCode.code(of: error.kind)))
        object.text("message", message(error.kind, error.status ?? result.status))
      }
    }
    buffer.append(text: "}\n")
    return buffer
  }
}

extension PackRow {
  /// The URL that answered; of a line without a redirect the line's own. Of several lines that spell one URL
  /// differently, any may have been the first to ask, in this run or in one that has filled the cache.
  private static func finalURL(of result: FetchResult) -> String? {
    guard let text = result.finalURL, !text.hasBytes(of: result.url), let own = try? WebURL(result.url),
      let final = try? WebURL(text)
    else { return result.finalURL }
    return own.canonical.hasBytes(of: final.canonical) ? own.displayWithScheme : final.requestURL
  }

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
