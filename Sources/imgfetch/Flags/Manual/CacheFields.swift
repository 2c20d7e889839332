/// The fields of what the `cache` commands print as JSON, with their meaning. A name is never reused for another thing.
enum CacheFields {
  typealias Field = ReportFields.Field

  /// An entry, of `list` and `add`.
  static let entry = [
    Field("key", "The canonical URL under which the image is cached."),
    Field("final_url", "The URL that answered, after redirects."),
    Field("status", "The status of the stored response."),
    Field("mime", "The media type of the image."),
    Field("width", "In pixels, as stored; null where nobody looked."),
    Field("height", "In pixels, as stored; null where nobody looked."),
    Field("frames", "The number of frames; null where nobody looked."),
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
