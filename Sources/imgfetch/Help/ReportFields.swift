/// The fields that `get` prints, with their meaning. Programs rely on them, so a name is never reused for something else.
enum ReportFields {
  struct Field: Sendable {
    let name: String
    let meaning: String

    init(_ name: String, _ meaning: String) {
      self.name = name
      self.meaning = meaning
    }
  }

  /// The columns of the result line.
  static let line = [
    Field(
      "cache",
      "Where the answer came from: none (over the network), memory or disk, with ! when it is stale, = when the origin "
        + "confirmed it, + when it rode on another one's download, in that order; or failed."),
    Field("mime", "The media type of the delivered bytes."),
    Field("WxH", "Width and height in pixels, as stored."),
    Field("bytes", "The number of delivered bytes."),
    Field("milliseconds", "From the moment the line was read to its result."),
    Field("output", "The file that was written or kept."),
    Field("url", "The URL as given, its user info masked."),
  ]

  /// The object of `--json`.
  static let object = [
    Field("url", "The URL as given, its user info masked."),
    Field("final_url", "The URL that answered, after redirects; null where nothing did."),
    Field("key", "The canonical URL under which the image is cached."),
    Field("cache", "none, memory or disk; null for a failure, and for a file that --no-clobber kept."),
    Field("revalidated", "Whether the origin answered 304 and the stored bytes were served."),
    Field("shared", "Whether this answer rode on another one's download, in this run or in another process."),
    Field("stale", "Whether it was past its age and the origin could not be reached."),
    Field("status", "The status of the response; null where there was none."),
    Field("mime", "The media type of the delivered bytes."),
    Field("format", "jpeg, png, apng, gif or webp; null for what is no image."),
    Field("width", "In pixels, as stored."),
    Field("height", "In pixels, as stored."),
    Field("frames", "The number of frames; 1 for a still image."),
    Field("bytes", "The number of delivered bytes."),
    Field("downloaded", "The bytes of bodies that came over the network for this answer."),
    Field("elapsed_ms", "Milliseconds from the moment the line was read to its result."),
    Field("attempts", "How many requests were made; 0 for an answer from a cache."),
    Field("line", "The number of its line in its list, from 1, comments and blank lines counted; null for an operand."),
    Field("id", "The text of the line's field id=; only where it has one."),
    Field("started_ms", "Milliseconds from the run's beginning to the moment it was asked for."),
    Field(
      "queued_ms",
      "How many of elapsed_ms it waited for its turn: until its first request went out; where there was none, until a cache "
        + "answered or it failed; 0 where it joined a download that was under way."),
    Field(
      "source",
      "Null, or an object of format, width, height and bytes: the image that came, where a transform made another of it."
    ),
    Field("output", "The file that was written or kept; null where there is none."),
    Field("error", "Null, or what went wrong."),
  ]

  /// Fields that are printed on request only.
  static let extra = [
    Field("headers", "With --json-headers: the header fields of the response, as pairs of name and value, in order."),
    Field("sha256", "With --checksum: the SHA-256 of the delivered bytes, in hex."),
  ]

  /// The object in `error`.
  static let error = [
    Field(
      "kind",
      "name, connect, tls, timeout, truncated, http, not-image, damaged, limit, checksum, offline, file, refused or "
        + "cancelled."),
    Field("message", "What happened, for people."),
    Field("transient", "Whether trying again later may help."),
    Field("exit", "The exit code that belongs to it."),
  ]

  /// The object in `summary`.
  static let summary = [
    Field("total", "The number of results."),
    Field("none", "How many came over the network."),
    Field("memory", "How many came from memory."),
    Field("disk", "How many came from the disk cache."),
    Field("remote", "How many came from a remote cache; 0, since there is none yet."),
    Field(
      "complete",
      "Whether every line was read and had its answer: false after an interrupt, when --fail-fast broke the run off, when the "
        + "reader of the results went away, and when a list could not be read to its end."),
    Field("lines", "How many lines of lists were read, comments and blank ones too; operands are none."),
    Field("revalidated", "How many the origin confirmed."),
    Field("shared", "How many rode on another one's download."),
    Field("stale", "How many were stale."),
    Field("failed", "How many failed."),
    Field("bytes", "The bytes delivered."),
    Field("downloaded", "The bytes of bodies that came over the network."),
    Field("elapsed_ms", "Milliseconds of the whole run."),
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
    Field("width", "In pixels, as stored; null where it was not inspected."),
    Field("height", "In pixels, as stored; null where it was not inspected."),
    Field("frames", "The number of frames; null where it was not inspected."),
    Field("bytes", "The size of the image; its file is a little larger."),
    Field("stored", "When it was stored, or last confirmed by its origin."),
    Field("last_used", "When an answer was last made of it, to the hour."),
    Field("path", "The entry's file."),
    Field("derived", "Whether a transform made it of the image (--cache-derived), and it is not the image itself."),
  ]

  static let measure = [
    Field("bytes", "The size of the entries' files."),
    Field("entries", "Their number."),
    Field("path", "The path of the entry's file, or of the cache."),
  ]

  static let removal = [
    Field("removed", "What went, or with --dry-run would go: an object of entries and bytes."),
    Field("left", "Of clean alone: what is there afterwards, an object of entries and bytes."),
    Field("leftovers", "Of clean alone: how many files of broken-off runs went besides."),
    Field("dry_run", "Of clean alone: whether nothing was removed."),
  ]

  static let verification = [
    Field("sound", "The entries that are right: an object of entries and bytes."),
    Field("damaged", "The others: for each an object of url, null where that cannot be read either, and path."),
    Field("newer", "How many were left alone, since a newer version wrote them."),
    Field("repaired", "Whether the damaged ones were removed."),
  ]
}
