// The stored form, as a tagged field, and what marks an entry.
extension GoneMark {
  /// The number of the tagged field.
  static let tag: UInt16 = 7

  func write(to writer: inout ByteWriter) {
    writer.put(tag: Self.tag, length: 10)
    writer.put(UInt16(clamping: status))
    writer.put(since.nanoseconds)
  }

  /// Decodes the field. Its presence is the mark, whatever its value is; unreadable parts of the value become zero.
  init(_ bytes: ArraySlice<UInt8>) {
    var reader = ByteReader(Array(bytes), in: 0..<bytes.count)
    status = Int(reader.take(UInt16.self) ?? 0)
    since = WallTime(nanoseconds: reader.take(Int64.self) ?? 0)
  }
}

extension CachedEntry {
  /// True if the entry only marks one of a read-only cache.
  var isMarkOnly: Bool { metadata.gone != nil && body.count == 0 && metadata.facts == nil }
}

extension EntryMetadata {
  /// The metadata that marks the entry of a read-only cache. It has no validator, so that programs that do not know
  /// the mark ask for the whole.
  func markOnly(_ mark: GoneMark) -> EntryMetadata {
    var only = EntryMetadata(
      key: key, finalURL: finalURL, status: status, fields: HeaderFields(), requestTime: requestTime,
      responseTime: responseTime, facts: nil, mime: mime, verification: .none, provenance: provenance)
    only.gone = mark
    return only
  }
}

extension DiskCache {
  /// Marks an entry as gone, unless it is marked or was replaced. If that cannot be written, the origin is asked about
  /// it as before.
  package func mark(_ entry: CachedEntry, _ mark: GoneMark) {
    guard entry.metadata.gone == nil else { return }
    let used = max(EntryStamp.expired, entry.lastUsed)
    if entry.isReadOnly {
      // If it cannot be written, the origin is asked about the image each time. That costs time, and is not reported.
      try? write(ImageBody(.bytes([])), entry.metadata.markOnly(mark), times: (EntryStamp.expired, used))
    } else if lookup(entry.key, withBody: false)?.stamp == entry.stamp {
      var metadata = entry.metadata
      metadata.gone = mark
      do { try write(entry.body, metadata, times: (EntryStamp.expired, used)) } catch { expire(entry) }
    }
  }
}
