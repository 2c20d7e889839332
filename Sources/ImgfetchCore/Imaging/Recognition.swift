/// Decides by a body's first bytes which format it has, or what it is instead.
///
/// Bytes are held until they decide, and always the same number of them, so that the answer is the same however they
/// come: 12 tell an accepted format, 96 what something else is, and 256 what an XML document holds.
struct Recognition: Sendable {
  private static let longestHead = 256
  private static let imageHead = 12
  private static let foreignHead = 96

  /// The bytes that were held back, for the walk that begins with them.
  private(set) var head = InlineArray<256, UInt8>(repeating: 0)
  private(set) var count = 0

  /// Takes what it needs from the front of `bytes`, and says how many that were and, if they decide, the format.
  mutating func take(_ bytes: Span<UInt8>) throws(InspectionFailure) -> (taken: Int, format: ImageFormat?) {
    var at = 0
    for wanted in [Self.imageHead, Self.foreignHead, Self.longestHead] where count < wanted {
      while count < wanted, at < bytes.count {
        head[count] = bytes[at]
        count += 1
        at += 1
      }
      guard count == wanted else { return (at, nil) }
      if wanted == Self.imageHead {
        if let format = try accepted() { return (at, format) }
      } else if let failure = ForeignBody.name(all, isLast: wanted == Self.longestHead) {
        throw failure
      }
    }
    return (at, nil)
  }

  /// There are no more: what so short a body is.
  func finish() -> InspectionFailure {
    if count == 0 { return .notImage(found: "an empty body") }
    if let format = begun() { return .truncated(format, at: Int64(count)) }
    return ForeignBody.name(all, isLast: true) ?? .notImage(found: "data of an unknown kind")
  }

  private var all: [UInt8] { (0..<count).map { head[$0] } }

  private func holds(_ bytes: [UInt8], at place: Int = 0) -> Bool {
    bytes.indices.allSatisfy { place + $0 >= count || head[place + $0] == bytes[$0] }
  }

  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let (riff, webp): ([UInt8], [UInt8]) = (Array("RIFF".utf8), Array("WEBP".utf8))
  private static let (gif87, gif89): ([UInt8], [UInt8]) = (Array("GIF87a".utf8), Array("GIF89a".utf8))

  /// The format by its signature; a failure where the signature is that of a format but spoilt.
  private func accepted() throws(InspectionFailure) -> ImageFormat? {
    switch head[0] {
    case 0xFF where head[1] == 0xD8:
      guard head[2] == 0xFF else { throw .damaged(.jpeg, at: 2, reason: "no mark follows its start mark") }
      return .jpeg
    case 0x89 where holds(Self.png): return .png
    case 0x47 where holds(Self.gif87) || holds(Self.gif89): return .gif
    case 0x52 where holds(Self.riff) && holds(Self.webp, at: 8): return .webp
    default: break
    }
    // A PNG's signature is made so that a transfer as text spoils it.
    if holds([0x50, 0x4E, 0x47], at: 1) {
      throw .damaged(.png, at: 0, reason: "its signature is altered, as by a transfer as text")
    }
    if holds(Array("GIF8".utf8)) { throw .damaged(.gif, at: 3, reason: "a version that does not exist") }
    return nil
  }

  /// The format that a body of less than 12 bytes may have been about to become. Three bytes are asked for where the
  /// signature is of letters, which may as well be a word.
  private func begun() -> ImageFormat? {
    if holds(Self.png), count < Self.imageHead { return .png }
    if holds([0xFF, 0xD8, 0xFF]), count < Self.imageHead { return .jpeg }
    guard count >= 3, count < Self.imageHead else { return nil }
    if holds(Self.gif87) || holds(Self.gif89) { return .gif }
    if holds(Self.riff), holds(Self.webp, at: 8) { return .webp }
    return nil
  }
}
