/// The last 64 bytes of an entry: the lengths and hashes of its parts.
///
/// The body comes first in the file and the lengths come last. So the body can be written before its length is known,
/// and an image viewer can open the file.
package struct EntryFooter: Hashable, Sendable {
  package var bodyLength: Int64
  package var metadataLength: Int
  package var bodyHash: ContentHash
  package var metadataHash: ContentHash
  /// The format version, which the metadata has, too.
  package var version = Self.version

  package static let length = 64
  /// The version that is written, and the latest that is read. Version and magic number stay at the very end in all
  /// future versions, so that each can recognise the others.
  package static let version: UInt32 = 2
  /// Version 1 has no tagged fields after the metadata.
  static let oldestVersion: UInt32 = 1
  static let magic: UInt64 = 0x6863_7465_6667_6D69  // "imgfetch" as a little-endian number
  /// libcurl accepts at most 300 KB of header fields. A length above this was not written by this program.
  static let maximumMetadataLength = 1 << 20

  package enum Reading: Hashable, Sendable {
    case footer(EntryFooter)
    /// Written by a later version of this program.
    case newer(version: UInt32)
    case damaged
  }

  /// Reads the footer at the end of a file of `fileLength` bytes.
  package static func read(_ bytes: [UInt8], fileLength: Int64) -> Reading {
    guard bytes.count >= length else { return .damaged }
    var reader = ByteReader(bytes, in: (bytes.count - length)..<bytes.count)
    guard let bodyLength = reader.take(Int64.self), let bodyHash = reader.takeHash(),
      let metadataHash = reader.takeHash(), let metadataLength = reader.take(UInt32.self),
      let reserved = reader.take(UInt64.self), let version = reader.take(UInt32.self),
      reader.take(UInt64.self) == magic
    else { return .damaged }
    if version > Self.version { return .newer(version: version) }
    let rest = fileLength - Int64(length) - Int64(metadataLength)
    guard version >= oldestVersion, reserved == 0, metadataLength <= maximumMetadataLength, bodyLength >= 0,
      bodyLength == rest
    else { return .damaged }
    return .footer(
      EntryFooter(
        bodyLength: bodyLength, metadataLength: Int(metadataLength), bodyHash: bodyHash, metadataHash: metadataHash,
        version: version))
  }

  func write(to writer: inout ByteWriter) {
    writer.put(bodyLength)
    writer.put(bodyHash)
    writer.put(metadataHash)
    writer.put(UInt32(clamping: metadataLength))
    writer.put(0 as UInt64)
    writer.put(version)
    writer.put(Self.magic)
  }
}

// The stored form of image facts. The numbers below are part of the format: cases may be added, but none may change its
// number.
extension EntryMetadata {
  enum FactsReading {
    /// The facts, or none.
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

  /// Decodes a tagged field with details; nil if it is none.
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
