/// Names what a body is, by its first bytes, if it is in none of the accepted formats.
///
/// The names are for people: the body is rejected in any case, and the text should show what to do (log in, convert,
/// correct the address).
enum ForeignBody {
  /// Names a body by its first bytes.
  static func name(_ bytes: [UInt8]) -> InspectionFailure {
    if let name = signature(bytes) ?? boxes(bytes) { return .unsupported(name: name) }
    if let name = packed(bytes) { return .notImage(found: name) }
    return text(bytes)
      ?? .notImage(found: "data of an unknown kind, beginning with \(hexadecimal(bytes.prefix(8)))")
  }

  private static func begins(_ bytes: [UInt8], _ start: [UInt8], at place: Int = 0) -> Bool {
    bytes.dropFirst(place).starts(with: start)
  }

  private static func begins(_ bytes: [UInt8], _ start: String, at place: Int = 0) -> Bool {
    bytes.dropFirst(place).starts(with: start.utf8)
  }

  /// Images and documents with a fixed signature.
  private static func signature(_ bytes: [UInt8]) -> String? {
    let table: [([UInt8], String)] = [
      ([0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A], "JPEG 2000"), ([0xFF, 0x4F, 0xFF, 0x51], "JPEG 2000"),
      ([0x49, 0x49, 0xBC, 0x01], "JPEG XR"),
      ([0x8A, 0x4D, 0x4E, 0x47], "MNG"), ([0x8B, 0x4A, 0x4E, 0x47], "JNG"),
      ([0x76, 0x2F, 0x31, 0x01], "OpenEXR"), ([0x1A, 0x45, 0xDF, 0xA3], "a video (Matroska or WebM)"),
    ]
    if let found = table.first(where: { begins(bytes, $0.0) }) { return found.1 }
    let words: [(String, String)] = [
      ("%PDF-", "PDF"), ("%!PS", "PostScript"), ("8BPS", "Photoshop (PSD)"), ("qoif", "QOI"),
      ("gimp xcf", "a GIMP image (XCF)"), ("AT&TFORM", "DjVu"), ("farbfeld", "farbfeld"),
    ]
    if let found = words.first(where: { begins(bytes, $0.0) }) { return found.1 }
    if bytes.count > 2, bytes[0] == 0x50, 0x31...0x37 ~= bytes[1], [0x20, 0x0A, 0x0D, 0x09].contains(bytes[2]) {
      return "a Netpbm image (PNM)"
    }
    if isCursor(bytes) { return "a Windows cursor (CUR)" }
    return isTGA(bytes) ? "a TGA image" : nil
  }

  /// True if the body is a cursor. A cursor has pictures, where a TGA of plain colours, which begins alike,
  /// has no table of colours.
  private static func isCursor(_ bytes: [UInt8]) -> Bool {
    begins(bytes, [0, 0, 2, 0]) && bytes.count > 5 && (bytes[4] > 0 || bytes[5] > 0)
      && (bytes.count < 10 || bytes[9] == 0)
  }

  /// TGA has no signature: its header is looked at for what cannot be.
  private static func isTGA(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 18, bytes[1] <= 1, [1, 2, 3, 9, 10, 11].contains(bytes[2]) else { return false }
    let hasTable = bytes[1] == 1
    guard hasTable ? [15, 16, 24, 32].contains(bytes[7]) : bytes[3..<8].allSatisfy({ $0 == 0 }) else { return false }
    let hasSize = (bytes[12] > 0 || bytes[13] > 0) && (bytes[14] > 0 || bytes[15] > 0)
    return hasSize && [8, 15, 16, 24, 32].contains(bytes[16]) && bytes[17] & 0xC0 == 0
  }

  /// ISO base media formats: the first box names the brand.
  private static func boxes(_ bytes: [UInt8]) -> String? {
    guard begins(bytes, "ftyp", at: 4) else { return nil }
    switch String(decoding: bytes.dropFirst(8).prefix(4), as: UTF8.self) {
    case "jp2 ", "jpx ": return "JPEG 2000"
    case "crx ": return "a camera's raw image (CR3)"
    case "qt  ": return "a video (QuickTime)"
    default: return "a video (MP4)"
    }
  }

  private static func packed(_ bytes: [UInt8]) -> String? {
    if begins(bytes, [0x1F, 0x8B]) { return "compressed data (gzip)" }
    if begins(bytes, [0x28, 0xB5, 0x2F, 0xFD]) { return "compressed data (Zstandard)" }
    if begins(bytes, [0x50, 0x4B, 3, 4]) { return "an archive (ZIP)" }
    if begins(bytes, [0x37, 0x7A, 0xBC, 0xAF]) { return "an archive (7z)" }
    if begins(bytes, [0x7F, 0x45, 0x4C, 0x46]) { return "a program (ELF)" }
    if begins(bytes, "RIFF") { return "a RIFF file that is not WebP (sound or video)" }
    if begins(bytes, "OggS") { return "sound or video (Ogg)" }
    if begins(bytes, "ID3") { return "sound (MP3)" }
    return nil
  }

  /// Any kind of text, or nil if the bytes are not text.
  private static func text(_ bytes: [UInt8]) -> InspectionFailure? {
    if begins(bytes, [0xFE, 0xFF]) || begins(bytes, [0xFF, 0xFE]) { return .notImage(found: "text (UTF-16)") }
    let body = unindented(bytes)
    guard let first = body.first else { return .notImage(found: "nothing but white space") }
    // Escape begins colour sequences; other control characters do not occur in text. A page says what it is before.
    let isText = body.allSatisfy { $0 >= 0x20 && $0 != 0x7F || isSpace($0) || $0 == 0x1B }
    guard isText || isPage(bytes) else { return nil }
    let words = Excerpt.of(body)
    let quoted = words.isEmpty ? "" : " (\"\(words)\")"
    switch first {
    case 0x3C:  // <
      let head = lowercased(body)
      return .notImage(found: "\(isHTML(head) ? "an HTML page" : "HTML or XML")\(quoted)")
    case 0x7B, 0x5B:  // { [
      return .notImage(found: "\(isJSON(body) ? "JSON" : "text")\(quoted)")
    default: return .notImage(found: "text\(quoted)")
    }
  }

  /// True for HTML that says so, whatever control characters it has.
  static func isPage(_ bytes: [UInt8]) -> Bool {
    let body = unindented(bytes)
    return body.first == 0x3C && isHTML(lowercased(body))
  }

  private static func unindented(_ bytes: [UInt8]) -> [UInt8] {
    Array((begins(bytes, [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]).drop { isSpace($0) })
  }

  private static func lowercased(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(byte) }

  /// True if a document seems to be an SVG, although an incomplete one.
  static func isSVG(_ bytes: [UInt8]) -> Bool {
    let head = lowercased(unindented(bytes))
    return head.hasPrefix("<!doctype svg")
      || head.holds("<svg") && !head.holds("<html") && !head.hasPrefix("<!doctype html")
  }

  private static func isHTML(_ head: String) -> Bool {
    let first = [
      "!doctype html", "html", "head", "body", "script", "title", "meta", "style", "div", "table", "iframe", "h1",
    ]
    return first.contains { head.hasPrefix("<\($0)") } || head.holds("<html") || head.holds("<!doctype html")
  }

  /// An opening bracket, followed by a possible start of a member.
  private static func isJSON(_ body: [UInt8]) -> Bool {
    guard let next = body.dropFirst().first(where: { !isSpace($0) }) else { return true }
    if body.first == 0x7B { return next == 0x22 || next == 0x7D }
    return next == 0x22 || next == 0x5D || next == 0x5B || next == 0x7B || next == 0x2D || 0x30...0x39 ~= next
      || [0x74, 0x66, 0x6E].contains(next)
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: " ")
  }
}

/// The first words of a body that is not an image, safe to print. On a server's error page they say what went wrong.
enum Excerpt {
  /// Long enough for a sentence, short enough for a line of a terminal.
  private static let longest = 72

  /// The bytes as text, shortened and with single spaces, without characters that could control a terminal or deceive a
  /// reader: control characters, changes of writing direction, and characters without width.
  static func of(_ bytes: [UInt8]) -> String {
    var words = ""
    var count = 0
    var isSpacePending = false
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if scalar.properties.isWhitespace {
        isSpacePending = count > 0
        continue
      }
      guard isHarmless(scalar) else { continue }
      guard count < longest else { return words + "…" }
      if isSpacePending {
        words.unicodeScalars.append(" ")
        count += 1
      }
      isSpacePending = false
      words.unicodeScalars.append(scalar)
      count += 1
    }
    return words
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value > 0x20 && scalar.value < 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
      .nonspacingMark, .enclosingMark:
      return false
    // U+FFFD stands for invalid UTF-8. The others are invisible.
    default: return scalar != "\u{FFFD}" && !scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
