/// What is stored with an image's bytes.
///
/// A pure value. The header fields stay in their stored form until they are needed: most cache hits need only the few
/// facts before them.
public struct EntryMetadata: Sendable {
  /// The key, which decides who else it answers.
  public package(set) var key: CacheKey
  /// The URL that answered, after redirects.
  public package(set) var finalURL: String
  /// The HTTP status.
  public package(set) var status: Int
  /// The media type of the bytes.
  public package(set) var mime: String
  /// What the image is; nil if it was not inspected.
  public package(set) var facts: ImageFacts?
  /// How thoroughly it was verified.
  public package(set) var verification: Verification
  package var requestTime: WallTime
  package var responseTime: WallTime
  /// The request's fields that the answer's Vary names.
  package var varyFields: [(String, String)]
  /// The hash of the image that this one was derived from; nil for an answer itself. If the answer has other bytes by
  /// now, the derived image is void.
  package var origin: ContentHash?
  /// Where the bytes came from.
  package var provenance: Provenance
  /// What is known of the image beyond its facts; nil: nothing.
  package var details: ImageDetails?
  /// The response's fields in their stored form.
  var storedFields: [UInt8]

  /// All response fields in order, with repeats. They are decoded at each access.
  package var fields: HeaderFields {
    get { HeaderFields(encoded: storedFields.span) }
    set { storedFields = newValue.encoded() }
  }
}

extension EntryMetadata {
  package init(
    key: CacheKey, finalURL: String, status: Int, fields: HeaderFields, varyFields: [(String, String)] = [],
    requestTime: WallTime, responseTime: WallTime, facts: ImageFacts?, mime: String, verification: Verification,
    origin: ContentHash? = nil, provenance: Provenance = Provenance(), details: ImageDetails? = nil
  ) {
    self.init(
      key: key, finalURL: finalURL, status: status, mime: mime, facts: facts, verification: verification,
      requestTime: requestTime, responseTime: responseTime, varyFields: varyFields, origin: origin,
      provenance: provenance, details: details, storedFields: fields.encoded())
  }
}

// The stored form: a head of fixed size, then strings and lists after their lengths, then tagged fields. The footer's
// version applies.
extension EntryMetadata {
  /// The result of decoding.
  package enum Reading: Sendable {
    case metadata(EntryMetadata)
    /// Written by a later program: in this version's form, with a value that is unknown here.
    case newer
    /// Not metadata, or another key's.
    case damaged
  }

  private enum Flag {
    static let salt: UInt8 = 1
    static let variant: UInt8 = 2
    static let facts: UInt8 = 4
    static let derivation: UInt8 = 8
    static let all: UInt8 = 15
  }

  /// Metadata and footer, as they are appended to a body; nil if the metadata is too long to be read again.
  package func trailer(bodyLength: Int64, bodyHash: ContentHash) -> [UInt8]? {
    var writer = ByteWriter(capacity: 256 + finalURL.utf8.count + key.url.utf8.count + storedFields.count)
    write(to: &writer)
    let count = writer.bytes.count
    guard count <= EntryFooter.maximumMetadataLength else { return nil }
    EntryFooter(
      bodyLength: bodyLength, metadataLength: count, bodyHash: bodyHash,
      metadataHash: ContentHash(of: writer.bytes.span)
    ).write(to: &writer)
    return writer.bytes
  }

  private func write(to writer: inout ByteWriter) {
    writer.put(UInt16(clamping: status))
    writer.put(verification.rawValue)
    writer.put(
      (key.salt == nil ? 0 : Flag.salt) | (key.variant == nil ? 0 : Flag.variant) | (facts == nil ? 0 : Flag.facts)
        | (key.derivation == nil ? 0 : Flag.derivation))
    writer.put(requestTime.nanoseconds)
    writer.put(responseTime.nanoseconds)
    writer.put(key.salt ?? 0)
    writer.put(key.variant ?? 0)
    if let derivation = key.derivation {
      writer.put(derivation)
      writer.put(origin ?? ContentHash(high: 0, low: 0))
    }
    Self.write(facts, to: &writer)
    writer.put(key.url)
    writer.put(finalURL)
    writer.put(mime)
    var vary = ByteWriter()
    for (name, value) in varyFields {
      vary.put(name)
      vary.put(value)
    }
    writer.put(UInt32(clamping: vary.bytes.count))
    writer.put(raw: vary.bytes)
    writer.put(UInt32(clamping: storedFields.count))
    writer.put(raw: storedFields)
    provenance.write(to: &writer)
    Self.write(facts?.flaws ?? ImageFlaws(), to: &writer)
    if let details { Self.write(details, to: &writer) }
  }

  /// Decodes `range` of `bytes` in an entry of that version.
  ///
  /// - Parameter expected: the key that it must have; nil: any.
  package static func read(
    _ bytes: [UInt8], in range: Range<Int>, version: UInt32 = EntryFooter.version, expected: CacheKey?
  ) -> Reading {
    // All programs that wrote version 1 are older than this one, so an unknown value in it is damage.
    let unknown: Reading = version > EntryFooter.oldestVersion ? .newer : .damaged
    var reader = ByteReader(bytes, in: range)
    guard let status = reader.take(UInt16.self), let level = reader.take(UInt8.self),
      let flags = reader.take(UInt8.self)
    else { return .damaged }
    // An unknown flag may announce something unknown that follows.
    guard let verification = Verification(rawValue: level), flags <= Flag.all else { return unknown }
    guard let requestTime = reader.take(Int64.self), let responseTime = reader.take(Int64.self),
      let salt = reader.take(UInt64.self), let variant = reader.take(UInt64.self),
      let made = readDerivation(from: &reader, isPresent: flags & Flag.derivation != 0),
      let facts = readFacts(from: &reader, arePresent: flags & Flag.facts != 0),
      let key = readKey(
        from: &reader, salt: flags & Flag.salt == 0 ? nil : salt, variant: flags & Flag.variant == 0 ? nil : variant,
        derivation: made.signature, expected: expected),
      let finalURL = reader.takeText(), let mime = reader.takeText(),
      let varyLength = reader.take(UInt32.self), let vary = reader.takeRaw(Int(varyLength)),
      let varyFields = pairs(in: vary),
      let fieldsLength = reader.take(UInt32.self), let fields = reader.takeRaw(Int(fieldsLength))
    else { return .damaged }
    var provenance = Provenance()
    var flaws = ImageFlaws()
    var details: ImageDetails?
    if version > EntryFooter.oldestVersion {
      // With an unknown format or colour model, this program can say nothing about the image.
      if case .unknown = facts { return .newer }
      let isRead = TaggedFields.read(from: &reader) { tag, bytes in
        provenance.take(tag, bytes)
        if tag == flawsTag { flaws = readFlaws(bytes) }
        if let read = readDetails(tag, bytes) { details = read.completed(by: details) }
      }
      guard isRead else { return .damaged }
    }
    guard reader.isAtEnd, case .known(var value) = facts else { return .damaged }
    value?.flaws = flaws
    return .metadata(
      EntryMetadata(
        key: key, finalURL: finalURL, status: Int(status), mime: mime, facts: value, verification: verification,
        requestTime: WallTime(nanoseconds: requestTime), responseTime: WallTime(nanoseconds: responseTime),
        varyFields: varyFields, origin: made.origin, provenance: provenance, details: details,
        storedFields: [UInt8](fields)))
  }

  private static func readDerivation(
    from reader: inout ByteReader, isPresent: Bool
  ) -> (signature: UInt64?, origin: ContentHash?)? {
    guard isPresent else { return (nil, nil) }
    guard let signature = reader.take(UInt64.self), let origin = reader.takeHash() else { return nil }
    return (signature, origin)
  }

  private static func readKey(
    from reader: inout ByteReader, salt: UInt64?, variant: UInt64?, derivation: UInt64?, expected: CacheKey?
  ) -> CacheKey? {
    guard let count = reader.take(UInt32.self), let url = reader.takeRaw(Int(count)) else { return nil }
    guard let expected else {
      return CacheKey(
        url: String(decoding: url, as: UTF8.self), salt: salt, variant: variant, derivation: derivation)
    }
    // Compared byte by byte: the strings' own equality treats differently composed characters as equal.
    guard salt == expected.salt, variant == expected.variant, derivation == expected.derivation,
      expected.url.utf8.elementsEqual(url)
    else { return nil }
    return expected
  }

  private static func pairs(in bytes: ArraySlice<UInt8>) -> [(String, String)]? {
    guard let texts = ByteReader.texts(in: bytes), texts.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: texts.count, by: 2).map { (texts[$0], texts[$0 + 1]) }
  }
}

// The stored form, as tagged fields.
extension Provenance {
  private enum Tag {
    static let address: UInt16 = 1
    static let origins: UInt16 = 2
  }

  func write(to writer: inout ByteWriter) {
    if address != .unknown {
      writer.put(tag: Tag.address, length: 1)
      writer.put(address.rawValue)
    }
    guard let otherOrigins else { return }
    writer.put(tag: Tag.origins, length: otherOrigins.reduce(0) { $0 + 4 + $1.utf8.count })
    for origin in otherOrigins { writer.put(origin) }
  }

  /// Decodes a field if it is one of these. An unreadable one counts as missing.
  mutating func take(_ tag: UInt16, _ bytes: ArraySlice<UInt8>) {
    switch tag {
    case Tag.address: address = bytes.first.flatMap(Address.init(rawValue:)) ?? .unknown
    case Tag.origins: otherOrigins = ByteReader.texts(in: bytes)
    default: break
    }
  }
}
