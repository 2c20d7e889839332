import ImgfetchCore

/// The fields that `get` prints, with their meaning. Programs rely on them, so a name is never reused for something
/// else.
enum ReportFields {
  struct Field: Sendable {
    let name: String
    let meaning: String

    init(_ name: String, _ meaning: String) {
      self.name = name
      self.meaning = meaning
    }
  }

  /// The fields as items of a page's prose.
  static func items(_ fields: [Field]) -> String {
    fields.map { "* Cm \($0.name) | \($0.meaning)" }.joined(separator: "\n")
  }

  /// The columns of the result line.
  static let line = [
    Field(
      "cache",
      "The origin of the answer: none (the network), memory, disk or remote, followed by ! if it is stale, = if the origin "
        + "confirmed it and + if it shared another image's download, in that order; or failed."),
    Field(
      "mime",
      "The media type of the delivered bytes; of a failure its kind, with the status if there was one: http:404."),
    Field("WxH", "Width and height in pixels, as stored."),
    Field("bytes", "The number of delivered bytes."),
    Field("milliseconds", "The time from reading the line to its result."),
    Field("output", "The file that was written or kept; of a failure, its --placeholder."),
    Field("url", "The URL as given, its user info masked."),
  ]

  /// The object of `--json`.
  static let object = [
    Field("url", "The URL as given, its user info masked."),
    Field("time", "The time at which the row was made, in UTC: 2026-11-21T10:44:55.017Z."),
    Field(
      "final_url",
      "The URL that answered, after redirects; of a failure the URL that was asked last; null if there was no answer, not "
        + "even a redirect."),
    Field("key", "The canonical URL under which the image is cached."),
    Field("cache", "none, memory, disk or remote; null for a failure, and for a file that --no-clobber kept."),
    Field(
      "written",
      "The outcome for the file: new, changed (it had other bytes), same (it had these already, and was left alone) or kept "
        + "(it was edited, or --no-clobber kept it); null for a failure, and where there is no file."),
    Field(
      "duplicate_of",
      "The URL of the image that was delivered in place of this one, because both are the same (--unique); "
        + "null if this one was."),
    Field("revalidated", "True if the origin answered 304 and the stored bytes were served."),
    Field("shared", "True if this answer shared another one's download, in this run or in another process."),
    Field("stale", "True if a stored image past its age was served because the origin could not be reached."),
    Field("status", "The status of the response; null if there was none."),
    Field("mime", "The media type of the delivered bytes."),
    Field("format", formats + "; null if it is not an image."),
    Field("width", "In pixels, as stored."),
    Field("height", "In pixels, as stored."),
    Field("frames", "The number of frames; 1 for a still image."),
    Field("bytes", "The number of delivered bytes."),
    Field("downloaded", "The number of body bytes that came over the network for this answer."),
    Field("elapsed_ms", "Milliseconds from reading the line to its result."),
    Field("attempts", "The number of requests that were sent; 0 for an answer from a cache."),
    Field("line", "The line's number in its list, from 1, including comments and blank lines; null for an operand."),
    Field("id", "The text of the line's field id=; missing if it has none."),
    Field("started_ms", "Milliseconds from the beginning of the run to the request for this image."),
    Field(
      "queued_ms",
      "The part of elapsed_ms in which it waited: until its first request was sent, or if there was none, until a cache answered "
        + "or it failed; 0 if it joined a download in progress."),
    Field(
      "source",
      "Null, or an object of format, width, height and bytes: the image before it was transformed."
    ),
    Field(
      "flaws",
      "The rules of its format that the image breaks although every pixel is there; missing if there are none: " + flaws
    ),
    Field(
      "fingerprints", "With --fingerprint: an object of the requested fingerprints, of the image as it was fetched."),
    Field("exif", "With --exif: the camera's data, as that option lists them; missing if the image has no Exif."),
    Field("output", "The file that was written or kept; of a failure, its --placeholder; null if there is none."),
    Field(
      "fresh_until",
      "With --dry-run: the time until which the stored image is served without asking; missing if it is not, or for ever."
    ),
    Field("error", "Null, or the failure."),
  ]

  private static let formats =
    ImageFormat.allCases.dropLast().map(\.rawValue).joined(separator: ", ")
    + (ImageFormat.allCases.last.map { " or \($0.rawValue)" } ?? "")

  /// The names of flaws with their meaning.
  static let flaws = ImageFlaw.allCases.map { "\($0.name) (\($0))" }.joined(separator: ", ") + "."

  /// Fields that are printed on request only.
  static let extra = [
    Field("headers", "With --json-headers: the header fields of the response, as pairs of name and value, in order."),
    Field("sha256", "With --checksum: the SHA-256 of the delivered bytes, in hex."),
  ]

  /// Fields of --write-out that an object does not have.
  static let templates = [
    Field("host", "The host of the URL as given."),
    Field("name", "The stem of the URL's last segment, made safe, as in --name."),
    Field("error_kind", "The kind of the failure; - if it is none."),
  ]

  /// The object in `error`.
  static let error = [
    Field(
      "kind",
      "name, connect, tls, timeout, truncated, http, not-image, damaged, limit, checksum, offline, file, refused or "
        + "cancelled."),
    Field("message", "The failure as a sentence."),
    Field("transient", "True if a later attempt may succeed."),
    Field("exit", "Its exit code."),
  ]

  /// The object in `summary`.
  static let summary = [
    Field("started", "The time at which the run began, in the form of time."),
    Field("version", "The version of imgfetch."),
    Field("total", "The number of results."),
    Field("none", "The number that came over the network."),
    Field("memory", "The number that came from memory."),
    Field("disk", "The number that came from the disk cache."),
    Field("remote", "The number that came from the remote cache."),
    Field(
      "complete",
      "True if every line was read and answered; false after an interrupt, if --fail-fast ended the run, if the reader of "
        + "the results went away, and if a list could not be read to its end."),
    Field(
      "lines", "The number of lines of lists that were read, including comments and blank lines, without operands."),
    Field("revalidated", "The number that the origin confirmed."),
    Field("shared", "The number that shared another one's download."),
    Field("stale", "The number that were stale."),
    Field("failed", "The number that failed."),
    Field("bytes", "The number of delivered bytes."),
    Field("downloaded", "The number of body bytes that came over the network."),
    Field("elapsed_ms", "Milliseconds of the whole run."),
    Field("kinds", "The number of failures of each kind, by the words of error.kind."),
    Field(
      "hosts",
      "The 20 hosts with the most failures, without those that were cancelled: for each an object of host (with its port if "
        + "that is not the scheme's), failed, total and the message of one failure. Of more than 100,000 hosts the numbers are approximate."
    ),
    Field("written", "An object of new, changed, same and kept: the number of files with each outcome."),
  ]
}

/// The fields of the JSON that `cache` commands print, with their meaning. A name is never reused for something else.
enum CacheFields {
  typealias Field = ReportFields.Field

  /// An entry, as printed by `list` and `add`.
  static let entry = [
    Field("key", "The canonical URL under which the image is cached."),
    Field("final_url", "The URL that answered, after redirects."),
    Field("status", "The status of the stored response."),
    Field("mime", "The media type of the image."),
    Field("width", "In pixels, as stored; null if it was not inspected."),
    Field("height", "In pixels, as stored; null if it was not inspected."),
    Field("frames", "The number of frames; null if it was not inspected."),
    Field("bytes", "The size of the image; its file is a little larger."),
    Field("stored", "The time at which it was stored, or last confirmed by its origin."),
    Field("last_used", "The time at which it was last served, to the hour."),
    Field("path", "The entry's file."),
    Field("derived", "True if it is the result of a transform (--cache-derived) and not the image itself."),
    Field("gone", "True if its origin no longer had the image when it was last asked."),
  ]

  static let info = [
    Field("key", "The canonical URL under which the image is cached."),
    Field("final_url", "The URL that answered, after redirects."),
    Field("status", "The status of the stored response."),
    Field("mime", "The media type of the image."),
    Field("format", "Its format; null if it was not inspected. The same holds for width and height."),
    Field("width", "In pixels, as stored."),
    Field("height", "In pixels, as stored."),
    Field("bytes", "The size of the image."),
    Field("verification", "The level at which it was verified: none, structure or decode."),
    Field("stored", "The time at which it came."),
    Field("confirmed", "The time at which its origin last confirmed it; null if it has not since it came."),
    Field("last_used", "The time at which it was last served, to the hour."),
    Field("etag", "The validator that is sent to the origin when it is asked again; null if there is none."),
    Field("last_modified", "The same."),
    Field("gone", "An object of status and since, if its origin has it no more; else null."),
    Field("fresh_until", "The time until which it is served without asking; null if it is not, or for ever."),
    Field("would", "The action that get would take now: serve it, ask its origin, or fetch it."),
    Field("rule", "The rule that decides that."),
    Field("address", "The kind of address that it came from: public, private, unknown or own-file."),
    Field("origins", "The other origins that were asked on the way; null if that is not known."),
    Field("read_only", "True if it is in a read-only cache."),
    Field("others", "The number of further entries of its URL: of other requesters, or made of it."),
    Field("path", "The entry's file."),
  ]

  static let measure = [
    Field("bytes", "The size of the entries' files."),
    Field("entries", "Their number."),
    Field("allocated", "With --exact: the space that the disk has allocated for them."),
    Field("path", "The path of the entry's file, or of the cache."),
  ]

  static let removal = [
    Field("removed", "The removed entries, or with --dry-run those that would be: an object of entries and bytes."),
    Field("left", "For clean only: the remaining entries, an object of entries and bytes."),
    Field("leftovers", "For clean only: the number of files of interrupted runs that were removed as well."),
    Field("dry_run", "For clean only: true for a dry run."),
  ]

  static let verification = [
    Field("sound", "The undamaged entries: an object of entries and bytes."),
    Field("damaged", "The damaged entries: for each an object of url, null if that cannot be read either, and path."),
    Field("newer", "The number of entries that were left alone because a newer version wrote them."),
    Field("repaired", "True if the damaged ones were removed."),
  ]
}
