// What was made of images, kept beside them. It is bound to the bytes that it was made of: an image that was replaced since
// leaves results that answer nobody, and go when they were not used for long.
extension DiskCache {
  /// What was made of the image with the hash `origin`; nil if there is none such.
  ///
  /// It is right to its last byte: a large one is read for that here. The image it was made of need not be read at all.
  package func lookup(_ key: CacheKey, madeOf origin: ContentHash) -> CachedEntry? {
    guard let entry = lookup(key), entry.metadata.origin == origin else { return nil }
    guard entry.body.isSound else {
      discard(entry)
      return nil
    }
    touch(entry)
    return entry
  }

  /// Keeps what was made of an image. Where that fails the image is delivered all the same, and it is said once.
  package func keep(_ body: [UInt8], _ metadata: EntryMetadata) {
    do throws(CacheFailure) {
      // Nobody is waited for: who makes the same at the same time makes the same bytes.
      try openPrivatePart(metadata.key).publish(metadata, body: body, hash: ContentHash(of: body.span))
    } catch { tell("\(explain(error)); what was made of images is not cached") }
  }
}

extension ImageBody {
  /// Whether its stored bytes can be read, and are those that were stored.
  var isSound: Bool { isChecked || (try? read { (_) throws(SystemError) in }) != nil }
}
