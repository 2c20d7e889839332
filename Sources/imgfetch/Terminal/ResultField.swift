import ImgfetchCore

/// The fields of a result, by the names that `--json` and `--write-out` share.
enum ResultField: String, CaseIterable, Sendable {
  case url, time
  case finalURL = "final_url"
  case key, cache, written
  case duplicateOf = "duplicate_of"
  case revalidated, shared, stale, status, mime, format, width, height, frames, bytes, downloaded
  case elapsed = "elapsed_ms"
  case attempts, line, id
  case started = "started_ms"
  case queued = "queued_ms"
  case source, flaws, fingerprints, exif, output
  /// The time until which a stored image is fresh, only in a dry run.
  case freshUntil = "fresh_until"
  case error
  /// The SHA-256, only if requested by `--checksum` or a template.
  case sha256
  /// The fingerprints, each only in templates.
  case thumbhash, blurhash, dhash, phash
  /// The host and name of the URL as given, as in names of files. Only in templates.
  case host, name
  /// The kind of `error`, only in templates.
  case errorKind = "error_kind"

  /// A field's value before formatting. The large ones are indirect: a row has thirty values, and each would be copied
  /// with room for them.
  enum Value {
    case missing
    case text(String)
    case path(String)
    case number(Int64)
    case time(WallTime)
    case milliseconds(Double)
    case flag(Bool)
    case digest([UInt8])
    case flaws(ImageFlaws)
    indirect case fingerprints(ImageDetails)
    indirect case exif(ExifFacts)
    indirect case source(SourceImage)
    indirect case failure(FetchError)
  }

  /// True if an object omits the field when it has no value.
  var isOptional: Bool { [.id, .flaws, .fingerprints, .exif, .freshUntil].contains(self) }

  /// True if only templates have the field, since an object has it within another field or can do without.
  var isOfTemplates: Bool { fingerprint != nil || [.host, .name, .errorKind].contains(self) }

  /// The fingerprint that the field holds; nil for other fields.
  var fingerprint: ImageDetail? {
    switch self {
    case .thumbhash: .thumbhash
    case .blurhash: .blurhash
    case .dhash: .dhash
    case .phash: .phash
    default: nil
    }
  }

  func value(in row: ResultRow) -> Value {
    let result = row.result
    return switch self {
    case .url: .text(result.url)
    case .time: .time(row.time)
    case .finalURL: .text(or: result.finalURL)
    // An invalid URL has no key.
    case .key: .text(or: result.key.isEmpty ? nil : result.key)
    case .cache: .text(or: result.answerer?.rawValue)
    case .written: .text(or: result.written?.rawValue)
    case .duplicateOf: .text(or: result.duplicateOf)
    case .revalidated: .flag(result.isRevalidated)
    case .shared: .flag(result.isShared)
    case .stale: .flag(result.isStale)
    case .status: .number(or: result.status)
    case .mime: .text(or: result.mime)
    case .format: .text(or: result.facts?.format.rawValue)
    case .width: .number(or: result.facts?.width)
    case .height: .number(or: result.facts?.height)
    case .frames: .number(or: result.facts?.frames)
    case .bytes: result.bytes.map { .number($0) } ?? .missing
    case .downloaded: .number(result.downloaded)
    case .elapsed: .milliseconds(result.elapsedMilliseconds)
    case .attempts: .number(Int64(result.attempts))
    case .line: .number(or: row.tag.number)
    case .id: .text(or: row.tag.id)
    case .started: .milliseconds(row.startedMilliseconds)
    case .queued: .milliseconds(result.queuedMilliseconds)
    case .source: result.source.map { .source($0) } ?? .missing
    case .flaws: row.flaws.isEmpty ? .missing : .flaws(row.flaws)
    case .fingerprints: result.details.flatMap { $0.fingerprints.isEmpty ? nil : .fingerprints($0) } ?? .missing
    case .exif: result.details?.exif.map { .exif($0) } ?? .missing
    case .thumbhash, .blurhash, .dhash, .phash: .text(or: fingerprint.flatMap { result.details?.text(of: $0) })
    case .output: result.output.map { .path($0) } ?? .missing
    case .freshUntil: result.freshUntil.map { .time($0) } ?? .missing
    case .error: result.error.map { .failure($0) } ?? .missing
    case .host: .text(or: webURL(of: result)?.host)
    case .name: .text(or: webURL(of: result).map { Stem(segment: $0.lastPathSegment).text })
    case .errorKind: .text(or: result.error?.kind.rawValue)
    case .sha256: row.sha256.map { .digest($0) } ?? .missing
    }
  }

  /// The URL of a result; nil if the given text is no URL of the web.
  private func webURL(of result: FetchResult) -> WebURL? {
    do throws(URLFailure) { return try WebURL(result.url) } catch { return nil }
  }
}

extension ResultField.Value {
  fileprivate static func text(or text: String?) -> Self { text.map { .text($0) } ?? .missing }
  fileprivate static func number(or number: Int?) -> Self { number.map { .number(Int64($0)) } ?? .missing }
}
