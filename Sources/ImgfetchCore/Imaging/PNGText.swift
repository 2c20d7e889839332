/// Texts in a PNG.
enum PNGText {
  static let international: UInt32 = 0x6954_5874  // iTXt
  static let plain: UInt32 = 0x7445_5874  // tEXt
  static let packed: UInt32 = 0x7A54_5874  // zTXt

  static func isText(_ chunk: UInt32) -> Bool { chunk == international || chunk == plain || chunk == packed }

  private static let xmpKeyword = Array("XML:com.adobe.xmp\0".utf8)

  /// The XMP packet in a chunk, or nil if the chunk holds something else, or is compressed, which no writer does.
  static func packet(_ content: [UInt8]) -> [UInt8]? {
    guard content.starts(with: xmpKeyword), content.count >= xmpKeyword.count + 4, content[xmpKeyword.count] == 0 else {
      return nil
    }
    // A method, a language and a translated keyword precede the text.
    var rest = content.dropFirst(xmpKeyword.count + 2)
    for _ in 0..<2 {
      guard let end = rest.firstIndex(of: 0) else { return nil }
      rest = rest[(end + 1)...]
    }
    return Array(rest)
  }

  private static let makers = ["Author", "Artist", "Creator"]
  private static let copyright = "Copyright"

  static func chunk(_ packet: [UInt8]) -> [UInt8] { xmpKeyword + [0, 0, 0, 0] + packet }

  /// True if a text names the maker of the picture, or the terms on which it is given.
  static func isAuthorship(_ content: ArraySlice<UInt8>) -> Bool {
    let keyword = content.prefix { $0 != 0 }
    return keyword.elementsEqual(copyright.utf8) || makers.contains { keyword.elementsEqual($0.utf8) }
  }
}

extension PNGText {
  /// Texts that name the maker of a picture, and the terms on which it is given. Empty where there are none.
  struct Texts: Sendable, Hashable {
    private(set) var maker: [UInt8] = []
    private(set) var copyright: [UInt8] = []

    /// Takes the content of a chunk of a text, if it is one of the two, and the first of its kind.
    mutating func take(_ chunk: UInt32, _ content: [UInt8]) {
      guard PNGText.isAuthorship(content[...]) else { return }
      let isCopyright = content.starts(with: PNGText.copyright.utf8)
      guard isCopyright ? copyright.isEmpty : maker.isEmpty, let text = PNGText.text(chunk, content),
        text.contains(where: { $0 > 0x20 }), !text.contains(0)
      else { return }
      if isCopyright { copyright = text } else { maker = text }
    }
  }

  /// More than any text about a maker has.
  private static let longestText = 16 << 10

  /// The text of a chunk, in UTF-8. Nil if the chunk is broken, or the text is too long.
  private static func text(_ chunk: UInt32, _ content: [UInt8]) -> [UInt8]? {
    guard let end = content.firstIndex(of: 0) else { return nil }
    var rest = content[(end + 1)...]
    // A flag precedes the method of an international text.
    let isPacked = chunk == packed || chunk == international && rest.first == 1
    if chunk != plain { rest = rest.dropFirst(chunk == international ? 2 : 1) }
    if chunk == international {
      // A language and a translated keyword precede the text.
      for _ in 0..<2 {
        guard let end = rest.firstIndex(of: 0) else { return nil }
        rest = rest[(end + 1)...]
      }
    }
    guard let text = isPacked ? unpacked(rest) : Array(rest), text.count <= longestText else { return nil }
    if chunk == international { return String(validating: text, as: UTF8.self) == nil ? nil : text }
    // The others are in Latin-1.
    return Array(String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) })).utf8)
  }

  private static func unpacked(_ packed: ArraySlice<UInt8>) -> [UInt8]? {
    guard let decoder = GzipDecoder(.zlib) else { return nil }
    decoder.add(Array(packed))
    var text: [UInt8] = []
    do throws(GzipDecoder.Damage) {
      while text.count <= longestText, let piece = try decoder.next() { text += piece }
    } catch { return nil }
    return decoder.isComplete ? text : nil
  }
}
