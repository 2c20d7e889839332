/// The metadata that is stored with an image's bytes.
///
/// A pure value. The header fields stay in their stored form until they are needed: most cache hits need only
/// the few facts before them.
public struct EntryMetadata: Sendable {
  /// The key, which decides which requests the entry answers.
  public package(set) var key: CacheKey
  /// The URL that answered, after redirects.
  public package(set) var finalURL: String
  /// The HTTP status.
  public package(set) var status: Int
  /// The media type of the bytes.
  public package(set) var mime: String
  /// The facts about the image, or nil if it was not inspected.
  public package(set) var facts: ImageFacts?
  /// The thoroughness of its verification.
  public package(set) var verification: Verification
  package var requestTime: WallTime
  package var responseTime: WallTime
  /// The request's fields that the answer's Vary names.
  package var varyFields: [(String, String)]
  /// The hash of the image that this one was derived from, or nil if it was not derived. If that image has other bytes
  /// by now, this one is void.
  package var origin: ContentHash?
  /// The source of the bytes.
  package var provenance: Provenance
  /// The details of the image beyond its facts, if any are known.
  package var details: ImageDetails?
  /// The mark of an image that its origin no longer has, or nil if the origin had it when it was last asked.
  package var gone: GoneMark?
  /// The hashes of the bodies that this one has replaced, the last one first.
  package var earlierBodies = EarlierBodies()
  /// The time at which the last byte of the body came, or nil for that of the response: the body came with it, and no
  /// later response has confirmed the entry in its place.
  package var received: WallTime?
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
    /// The bytes are not metadata, or are those of another key.
    case damaged
  }

  private enum Flag {
    static let salt: UInt8 = 1
    static let variant: UInt8 = 2
    static let facts: UInt8 = 4
    static let derivation: UInt8 = 8
    static let all: UInt8 = 15
  }

  /// Metadata and footer, as they are appended to a body, or nil if the metadata is too long to be read again.
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
    gone?.write(to: &writer)
    earlierBodies.write(to: &writer)
    if let received {
      writer.put(tag: Self.receivedTag, length: 8)
      writer.put(received.nanoseconds)
    }
  }

  private static let receivedTag: UInt16 = 21

  private static func readReceived(_ bytes: ArraySlice<UInt8>) -> WallTime? {
    var reader = ByteReader(Array(bytes), in: 0..<bytes.count)
    return reader.take(Int64.self).map { WallTime(nanoseconds: $0) }
  }

  /// Decodes `range` of `bytes` in an entry of that version.
  ///
  /// - Parameter expected: the key that it must have, or nil for any.
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
      let varyFields = ByteReader.pairs(in: vary),
      let fieldsLength = reader.take(UInt32.self), let fields = reader.takeRaw(Int(fieldsLength))
    else { return .damaged }
    var provenance = Provenance()
    var flaws = ImageFlaws()
    var details: ImageDetails?
    var gone: GoneMark?
    var earlierBodies = EarlierBodies()
    var received: WallTime?
    if version > EntryFooter.oldestVersion {
      // With an unknown format or colour model, this program can say nothing about the image.
      if case .unknown = facts { return .newer }
      let isRead = TaggedFields.read(from: &reader) { tag, bytes in
        provenance.take(tag, bytes)
        if tag == flawsTag { flaws = readFlaws(bytes) }
        if tag == EarlierBodies.tag { earlierBodies = EarlierBodies(bytes) }
        if tag == receivedTag { received = readReceived(bytes) }
        if let read = readDetails(tag, bytes) { details = read.completed(by: details) }
        if tag == GoneMark.tag { gone = GoneMark(bytes) }
      }
      guard isRead else { return .damaged }
    }
    guard reader.isAtEnd, case .known(var value) = facts else { return .damaged }
    value?.flaws = flaws
    return .metadata(
      EntryMetadata(
        key: key, finalURL: finalURL, status: Int(status), mime: mime, facts: value, verification: verification,
        requestTime: WallTime(nanoseconds: requestTime), responseTime: WallTime(nanoseconds: responseTime),
        varyFields: varyFields, origin: made.origin, provenance: provenance, details: details, gone: gone,
        earlierBodies: earlierBodies, received: received, storedFields: [UInt8](fields)))
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
      expected.url.utf8Span.span.isSame(as: url.span)
    else { return nil }
    return expected
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

// The stored form of image facts. The numbers below are part of the format: cases may be added, but none may change its
// number.
extension EntryMetadata {
  enum FactsReading {
    /// The facts, or nil if the image was not inspected.
    case known(ImageFacts?)
    /// A format or colour model that has no number here.
    case unknown
  }

  private enum FactsFlag {
    static let alpha: UInt8 = 1
    static let colourProfile: UInt8 = 2
    static let loopCount: UInt8 = 4
  }

  /// Always 32 bytes; all zero without facts.
  static func write(_ facts: ImageFacts?, to writer: inout ByteWriter) {
    guard let facts else { return writer.put(raw: repeatElement(0, count: 32)) }
    writer.put(facts.format.traits.entryNumber)
    writer.put(number(of: facts.colourModel))
    writer.put(UInt8(clamping: facts.bits))
    writer.put(UInt8(clamping: facts.orientation))
    writer.put(
      (facts.hasAlpha ? FactsFlag.alpha : 0) | (facts.hasColourProfile ? FactsFlag.colourProfile : 0)
        | (facts.loopCount == nil ? 0 : FactsFlag.loopCount))
    writer.put(raw: repeatElement(0, count: 3))
    writer.put(UInt32(clamping: facts.width))
    writer.put(UInt32(clamping: facts.height))
    writer.put(UInt32(clamping: facts.frames))
    writer.put(UInt32(clamping: facts.loopCount ?? 0))
    writer.put(facts.trailingBytes)
  }

  static func readFacts(from reader: inout ByteReader, arePresent: Bool) -> FactsReading? {
    guard let format = reader.take(UInt8.self), let colourModel = reader.take(UInt8.self),
      let bits = reader.take(UInt8.self), let orientation = reader.take(UInt8.self),
      let flags = reader.take(UInt8.self), reader.takeRaw(3) != nil,
      let width = reader.take(UInt32.self), let height = reader.take(UInt32.self),
      let frames = reader.take(UInt32.self), let loopCount = reader.take(UInt32.self),
      let trailingBytes = reader.take(Int64.self)
    else { return nil }
    guard arePresent else { return .known(nil) }
    guard let format = ImageFormat.allCases.first(where: { $0.traits.entryNumber == format }),
      let colourModel = ImageFacts.ColourModel.allCases.first(where: { number(of: $0) == colourModel })
    else { return .unknown }
    return .known(
      ImageFacts(
        format: format, width: Int(width), height: Int(height), frames: Int(frames), bits: Int(bits),
        hasAlpha: flags & FactsFlag.alpha != 0, orientation: Int(orientation),
        loopCount: flags & FactsFlag.loopCount == 0 ? nil : Int(loopCount),
        hasColourProfile: flags & FactsFlag.colourProfile != 0, colourModel: colourModel,
        trailingBytes: trailingBytes))
  }

  /// The number of the tagged field with the flaws.
  static let flawsTag: UInt16 = 3

  static func write(_ flaws: ImageFlaws, to writer: inout ByteWriter) {
    guard !flaws.isEmpty else { return }
    writer.put(tag: flawsTag, length: 4)
    writer.put(flaws.bits)
  }

  /// Decodes the tagged field with the flaws.
  static func readFlaws(_ bytes: ArraySlice<UInt8>) -> ImageFlaws {
    ImageFlaws(bits: bytes.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// The numbers of the tagged fields with details.
  private enum DetailsTag {
    static let fingerprints: UInt16 = 4
    static let exif: UInt16 = 5
  }

  static func write(_ details: ImageDetails, to writer: inout ByteWriter) {
    let fingerprints = details.encodedFingerprints
    if !fingerprints.isEmpty {
      writer.put(tag: DetailsTag.fingerprints, length: fingerprints.count)
      writer.put(raw: fingerprints)
    }
    guard details.known.contains(.exif) else { return }
    let exif = details.encodedExif
    writer.put(tag: DetailsTag.exif, length: exif.count)
    writer.put(raw: exif)
  }

  /// Decodes a tagged field with details, or returns nil if it is none.
  static func readDetails(_ tag: UInt16, _ bytes: ArraySlice<UInt8>) -> ImageDetails? {
    switch tag {
    case DetailsTag.fingerprints: ImageDetails(fingerprints: bytes, exif: nil)
    case DetailsTag.exif: ImageDetails(fingerprints: [], exif: bytes)
    default: nil
    }
  }

  private static func number(of model: ImageFacts.ColourModel) -> UInt8 {
    switch model {
    case .grey: 1
    case .rgb: 2
    case .palette: 3
    case .ycbcr: 4
    case .cmyk: 5
    case .ycck: 6
    }
  }
}

/// Fields at the end of stored data, each after its number and its length. A reader skips those that it does not know,
/// so a new fact needs no new format version. The numbers are defined with the values that are stored so, and listed on
/// the page "The format of the disk cache".
enum TaggedFields {
  /// Calls `take` with each field. Returns false if one is truncated.
  static func read(from reader: inout ByteReader, _ take: (_ tag: UInt16, ArraySlice<UInt8>) -> Void) -> Bool {
    while !reader.isAtEnd {
      guard let tag = reader.take(UInt16.self), let length = reader.take(UInt32.self),
        let bytes = reader.takeRaw(Int(length))
      else { return false }
      take(tag, bytes)
    }
    return true
  }
}

extension ByteWriter {
  /// Writes the head of a tagged field. The caller writes `length` bytes after it.
  mutating func put(tag: UInt16, length: Int) {
    put(tag)
    put(UInt32(clamping: length))
  }
}

extension EntryMetadata {
  /// The media type of a body: by its bytes, or, if they were not inspected, by the server's word.
  static func mime(_ facts: ImageFacts?, _ fields: HeaderFields) -> String {
    facts?.format.mime ?? fields.first("Content-Type") ?? "application/octet-stream"
  }

  /// The time for which the answer says that it is fresh.
  package var statedAge: StatedAge { StatedAge(encoded: storedFields, received: responseTime) }

  /// The same for this process's memory, after an image was verified.
  func verified(_ level: Verification) -> EntryMetadata {
    var verified = self
    verified.verification = max(verification, level)
    return verified
  }

  /// The whole entry as bytes, or nil if the body cannot be read, or if the answer's header is
  /// longer than an entry may have.
  public func encoded(with body: ImageBody) -> [UInt8]? {
    guard let hash = try? body.contentHash(), let bytes = try? body.bytes(),
      let trailer = trailer(bodyLength: body.count, bodyHash: hash)
    else { return nil }
    return bytes + trailer
  }
}
