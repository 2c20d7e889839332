/// The facts that are needed to resume an interrupted download. It is an attribute of the part's file, so it lives and
/// dies with the bytes that it describes.
package struct ResumeRecord: Hashable, Sendable {
  /// The boot of the machine under which the bytes were written.
  package var boot: String
  package var finalURL: String
  package var etag: String?
  package var lastModified: String?
  /// The answer's Date, which Last-Modified is compared with.
  package var date: String?
  /// The length of the complete body, or nil if the server did not send it.
  package var total: Int64?
  /// The number of bytes that are known to be on the disk.
  package var syncedLength: Int64
  /// The answer's fields in their encoded form; empty if unknown. The answer that brings the rest need not repeat them
  /// (RFC 9110 §15.3.7).
  package var fields: [UInt8] = []
  /// The source of the bytes.
  package var provenance = Provenance()

  /// The number of the part's `length` bytes that are reliable. Bytes written under another boot and not synced may be
  /// zeros.
  package func usableLength(of length: Int64, boot: String?) -> Int64 {
    boot == self.boot ? length : max(0, min(length, syncedLength))
  }
}

// The stored form, as the value of an extended attribute.
extension ResumeRecord {
  static let attribute = "user.imgfetch.resume"
  /// A record of version 2 ends with the answer's fields. Programs that only know that version start over.
  private static let version: UInt8 = 3
  private static let oldestVersion: UInt8 = 2
  /// File systems have about 4 KB for all attributes of a file. A longer record is not set, and the download starts
  /// over.
  private static let limit = 3 << 10
}

extension ResumeRecord {
  /// The stored form, or nil if it is too long. If only the fields make it too long, they are left out.
  var encoded: [UInt8]? {
    let bare = encoded(with: [])
    guard bare.count <= Self.limit else { return nil }
    return bare.count + fields.count <= Self.limit ? encoded(with: fields) : bare
  }

  private func encoded(with fields: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: 256 + fields.count)
    writer.put(Self.version)
    writer.put(total ?? -1)
    writer.put(syncedLength)
    writer.put(boot)
    writer.put(finalURL)
    // An empty validator stands for none.
    for text in [etag, lastModified, date] { writer.put(text ?? "") }
    writer.put(UInt32(clamping: fields.count))
    writer.put(raw: fields)
    provenance.write(to: &writer)
    return writer.bytes
  }

  init?(encoded bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let version = reader.take(UInt8.self), version >= Self.oldestVersion, version <= Self.version,
      let total = reader.take(Int64.self),
      let syncedLength = reader.take(Int64.self), let boot = reader.takeText(), let finalURL = reader.takeText(),
      let etag = reader.takeText(), let lastModified = reader.takeText(), let date = reader.takeText(),
      let count = reader.take(UInt32.self), let fields = reader.takeRaw(Int(count))
    else { return nil }
    var provenance = Provenance()
    if version > Self.oldestVersion {
      guard TaggedFields.read(from: &reader, { provenance.take($0, $1) }) else { return nil }
    }
    guard reader.isAtEnd else { return nil }
    self.init(
      boot: boot, finalURL: finalURL, etag: etag.isEmpty ? nil : etag,
      lastModified: lastModified.isEmpty ? nil : lastModified, date: date.isEmpty ? nil : date,
      total: total < 0 ? nil : total, syncedLength: syncedLength,
      fields: [UInt8](fields), provenance: provenance)
  }
}
