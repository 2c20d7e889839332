/// What is needed to go on with a download that was broken off. It lies in an attribute of the part's file, so it lives
/// and dies with the bytes that it speaks of.
package struct ResumeRecord: Hashable, Sendable {
  /// Which boot of the machine the bytes were written under.
  package var boot: String
  package var finalURL: String
  package var etag: String?
  package var lastModified: String?
  /// The answer's Date, against which Last-Modified is judged.
  package var date: String?
  /// The length of the whole body; nil if the server did not say.
  package var total: Int64?
  /// How much was known to be on the disk.
  package var syncedLength: Int64
  /// The answer's fields in their encoded form: what sends the rest need not say again what the whole is (RFC 9110 §15.3.7).
  /// Empty where they are not known.
  package var fields: [UInt8]
  /// Which way the bytes came.
  package var provenance: Provenance

  package init(
    boot: String, finalURL: String, etag: String?, lastModified: String?, date: String?, total: Int64?,
    syncedLength: Int64, fields: [UInt8] = [], provenance: Provenance = Provenance()
  ) {
    self.boot = boot
    self.finalURL = finalURL
    self.etag = etag
    self.lastModified = lastModified
    self.date = date
    self.total = total
    self.syncedLength = syncedLength
    self.fields = fields
    self.provenance = provenance
  }

  /// How many of the part's `length` bytes can be counted on. What was written under another boot and not synced may be
  /// zeros by now.
  package func usableLength(of length: Int64, boot: String?) -> Int64 {
    boot == self.boot ? length : max(0, min(length, syncedLength))
  }

  static let attribute = "user.imgfetch.resume"
  /// A record of version 2 ends with the fields of the answer. Programs that know that one only start over.
  private static let version: UInt8 = 3
  private static let oldestVersion: UInt8 = 2
  /// File systems give all attributes of a file some 4 KB; more than this is not set, and the download starts over.
  private static let limit = 3 << 10

  /// The stored form; nil if it is too long to be stored. Of fields that are too many, none go with it.
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
    // An empty validator is none.
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
