import ImgfetchCore

/// The fields that `get` prints, with their meaning. Programs rely on them, so a name is never reused for something
/// else.
enum ReportFields {
  struct Field: Sendable {
    let name: String
    let meaning: String
  }

  /// Reads fields of a line each: the name, and behind a bar the meaning.
  static func fields(_ text: String) -> [Field] {
    text.split(separator: "\n").map { line in
      Field(name: String(line.prefix { $0 != " " }), meaning: String(line.drop { $0 != "|" }.dropFirst(2)))
    }
  }

  /// The fields as items of a page's prose.
  static func items(_ fields: [Field]) -> String {
    fields.map { "* Cm \($0.name) | \($0.meaning)" }.joined(separator: "\n")
  }

  /// The columns of the result line.
  static let line = fields(
    """
    cache | The origin of the answer: none (the network), memory, disk or remote, followed by ! if it is stale, = if \
    the origin confirmed it and + if it shared another image's download, in that order; or failed.
    mime | The media type of the delivered bytes; of a failure its kind, with the status if there was one: http:404.
    WxH | Width and height in pixels, as stored.
    bytes | The number of delivered bytes.
    milliseconds | The time from reading the line to its result.
    output | The file that was written or kept; of a failure, its --placeholder.
    url | The URL as given, its user info masked.
    """)

  /// The object of `--json`.
  static let object = fields(
    """
    url | The URL as given, its user info masked.
    time | The time at which the row was made, in UTC: 2026-11-21T10:44:55.017Z.
    final_url | The URL that answered, after redirects; of a failure the URL that was asked last; null if there was no \
    answer, not even a redirect.
    key | The canonical URL under which the image is cached.
    cache | none, memory, disk or remote; null for a failure, and for a file that --no-clobber kept.
    written | The outcome for the file: new, changed (it had other bytes), same (it had these already, and was left \
    alone) or kept (it was edited, or --no-clobber kept it); null for a failure, and where there is no file.
    duplicate_of | The URL of the image that was delivered in place of this one, because both are the same (--unique); \
    null if this one was.
    revalidated | True if the origin answered 304 and the stored bytes were served.
    shared | True if this answer shared another one's download, in this run or in another process.
    stale | True if a stored image was served that its origin could not confirm, or had no more when last asked.
    status | The status of the response; null if there was none.
    mime | The media type of the delivered bytes.
    format | \(formats); null if it is not an image.
    width | In pixels, as stored.
    height | In pixels, as stored.
    frames | The number of frames; 1 for a still image.
    bytes | The number of delivered bytes.
    downloaded | The number of body bytes that came over the network for this answer.
    elapsed_ms | Milliseconds from reading the line to its result.
    attempts | The number of requests that were sent; 0 for an answer from a cache.
    line | The line's number in its list, from 1, including comments and blank lines; null for an operand.
    id | The text of the line's field id=; missing if it has none.
    started_ms | Milliseconds from the beginning of the run to the request for this image.
    queued_ms | The part of elapsed_ms in which it waited: until its first request was sent, or if there was none, \
    until a cache answered or it failed; 0 if it joined a download in progress.
    source | Null, or an object of format, width, height and bytes: the image before it was transformed.
    flaws | The rules of its format that the image breaks although every pixel is there; missing if there are none: \
    \(flaws)
    fingerprints | With --fingerprint: an object of the requested fingerprints, of the image as it was fetched.
    exif | With --exif: the camera's data, as that option lists them; missing if the image has no Exif.
    output | The file that was written or kept; of a failure, its --placeholder; null if there is none.
    fresh_until | With --dry-run: the time until which the stored image is served without asking; missing if it is \
    not, or for ever.
    error | Null, or the failure.
    """)

  private static let formats =
    ImageFormat.allCases.dropLast().map(\.rawValue).joined(separator: ", ")
    + (ImageFormat.allCases.last.map { " or \($0.rawValue)" } ?? "")

  /// The names of flaws with their meaning.
  static let flaws = ImageFlaw.allCases.map { "\($0.name) (\($0))" }.joined(separator: ", ") + "."

  /// Fields that are printed on request only.
  static let extra = fields(
    """
    headers | With --json-headers: the header fields of the response, as pairs of name and value, in order.
    sha256 | With --checksum: the SHA-256 of the delivered bytes, in hex.
    """)

  /// Fields of --write-out that an object does not have.
  static let templates = fields(
    """
    host | The host of the URL as given.
    name | The stem of the URL's last segment, made safe, as in --name.
    error_kind | The kind of the failure; - if it is none.
    """)

  /// The object in `error`.
  static let error = fields(
    """
    kind | name, connect, tls, timeout, truncated, http, not-image, damaged, limit, checksum, offline, file, refused \
    or cancelled.
    message | The failure as a sentence.
    transient | True if a later attempt may succeed.
    exit | Its exit code.
    """)

  /// The object in `summary`.
  static let summary = fields(
    """
    started | The time at which the run began, in the form of time.
    version | The version of imgfetch.
    total | The number of results.
    none | The number that came over the network.
    memory | The number that came from memory.
    disk | The number that came from the disk cache.
    remote | The number that came from the remote cache.
    complete | True if every line was read and answered; false after an interrupt, if --fail-fast ended the run, if \
    the reader of the results went away, and if a list could not be read to its end.
    lines | The number of lines of lists that were read, including comments and blank lines, without operands.
    revalidated | The number that the origin confirmed.
    shared | The number that shared another one's download.
    stale | The number that were stale.
    failed | The number that failed.
    bytes | The number of delivered bytes.
    downloaded | The number of body bytes that came over the network.
    elapsed_ms | Milliseconds of the whole run.
    kinds | The number of failures of each kind, by the words of error.kind.
    hosts | The 20 hosts with the most failures, without those that were cancelled: for each an object of host (with \
    its port if that is not the scheme's), failed, total and the message of one failure. Of more than 100,000 hosts \
    the numbers are approximate.
    written | An object of new, changed, same and kept: the number of files with each outcome.
    """)
}

/// The fields of the JSON that `cache` commands print, with their meaning. A name is never reused for something else.
enum CacheFields {
  /// An entry, as printed by `list` and `add`.
  static let entry = ReportFields.fields(
    """
    key | The canonical URL under which the image is cached.
    final_url | The URL that answered, after redirects.
    status | The status of the stored response.
    mime | The media type of the image.
    width | In pixels, as stored; null if it was not inspected.
    height | In pixels, as stored; null if it was not inspected.
    frames | The number of frames; null if it was not inspected.
    bytes | The size of the image; its file is a little larger.
    stored | The time at which it was stored, or last confirmed by its origin.
    last_used | The time at which it was last served, to the hour.
    path | The entry's file.
    derived | True if it is the result of a transform (--cache-derived) and not the image itself.
    gone | True if its origin no longer had the image when it was last asked.
    """)

  static let info = ReportFields.fields(
    """
    key | The canonical URL under which the image is cached.
    final_url | The URL that answered, after redirects.
    status | The status of the stored response.
    mime | The media type of the image.
    format | Its format; null if it was not inspected. The same holds for width and height.
    width | In pixels, as stored.
    height | In pixels, as stored.
    bytes | The size of the image.
    verification | The level at which it was verified: none, structure or decode.
    stored | The time at which it came.
    confirmed | The time at which its origin last confirmed it; null if it has not since it came.
    last_used | The time at which it was last served, to the hour.
    etag | The validator that is sent to the origin when it is asked again; null if there is none.
    last_modified | The same.
    gone | An object of status and since, if its origin has it no more; else null.
    fresh_until | The time until which it is served without asking; null if it is not, or for ever.
    would | The action that get would take now: serve it, ask its origin, or fetch it.
    rule | The rule that decides that.
    address | The kind of address that it came from: public, private, unknown or own-file.
    origins | The other origins that were asked on the way; null if that is not known.
    read_only | True if it is in a read-only cache.
    others | The number of further entries of its URL: of other requesters, or made of it.
    path | The entry's file.
    """)

  static let measure = ReportFields.fields(
    """
    bytes | The size of the entries' files.
    entries | Their number.
    allocated | With --exact: the space that the disk has allocated for them.
    path | The path of the entry's file, or of the cache.
    """)

  static let removal = ReportFields.fields(
    """
    removed | The removed entries, or with --dry-run those that would be: an object of entries and bytes.
    left | For clean only: the remaining entries, an object of entries and bytes.
    leftovers | For clean only: the number of files of interrupted runs that were removed as well.
    dry_run | For clean only: true for a dry run.
    """)

  static let verification = ReportFields.fields(
    """
    sound | The undamaged entries: an object of entries and bytes.
    damaged | The damaged entries: for each an object of url, null if that cannot be read either, and path.
    unread | The first 10,000 entries, or folders of entries, that cannot be read now: for each an object of path.
    unread_total | The number of all of them.
    newer | The number of entries that were left alone because a newer version wrote them.
    repaired | True if the damaged ones were removed.
    """)
}
