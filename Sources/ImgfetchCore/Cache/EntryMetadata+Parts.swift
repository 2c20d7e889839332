// How the nouns of other rooms are put into an entry. The numbers below are the format's: a case may be added, none may
// change its number.
extension EntryMetadata {
  static func encode(_ fields: HeaderFields) -> [UInt8] { fields.encoded() }

  static func decodeFields(_ bytes: [UInt8]) -> HeaderFields { HeaderFields(encoded: bytes.span) }

  /// What was read where facts stand.
  enum FactsReading {
    /// The facts, or that there are none.
    case known(ImageFacts?)
    /// A format or a colour model without a number here.
    case unknown
  }

  private enum FactsFlag {
    static let alpha: UInt8 = 1
    static let colourProfile: UInt8 = 2
    static let loopCount: UInt8 = 4
  }

  /// Always 32 bytes; all zero where nobody looked.
  static func write(_ facts: ImageFacts?, to writer: inout ByteWriter) {
    guard let facts else { return writer.put(raw: repeatElement(0, count: 32)) }
    writer.put(number(of: facts.format))
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
    guard let format = ImageFormat.allCases.first(where: { number(of: $0) == format }),
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

  private static func number(of format: ImageFormat) -> UInt8 {
    switch format {
    case .jpeg: 1
    case .png: 2
    case .gif: 3
    case .webp: 4
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
