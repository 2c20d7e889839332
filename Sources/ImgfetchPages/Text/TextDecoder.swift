/// Turns the bytes of a text into UTF-8 while they arrive.
///
/// A mark at the beginning decides the encoding, else the answer's header, else what a page says of itself in its first
/// kilobyte or in a longer head. A text that says nothing is UTF-8 as long as it can be, and then Windows-1252, as
/// browsers have it.
package struct TextDecoder: Sendable {
  /// The number of bytes in which a page has to say its encoding, unless its head goes on.
  private static let prescanLength = 1_024
  /// The limit on the bytes of such a head, which wait for the encoding.
  private static let longestHead = 1 << 16

  private var encoding: TextEncoding?
  private var isGuess = false
  /// The bytes of the beginning, as long as the encoding is not known; afterwards those of a
  /// character that is not whole.
  private var held: [UInt8] = []
  private var half: UInt16?

  /// - Parameter label: The encoding that the header names, where it names one.
  package init(label: [UInt8]? = nil) { encoding = label.flatMap { TextEncoding(label: $0) } }

  /// Takes the next bytes and appends the text that they make. `isMarkup`: the text may say its
  /// encoding as HTML or XML does.
  package mutating func decode(_ bytes: Span<UInt8>, isMarkup: Bool, into text: inout [UInt8]) {
    held.append(copying: bytes)
    if !isDecided {
      while !isDecided, held.count >= wanted { decide(isMarkup: isMarkup) }
      guard isDecided else { return }
    }
    decodeHeld(into: &text, isEnd: false)
  }

  /// Ends the text.
  package mutating func finish(isMarkup: Bool, into text: inout [UInt8]) {
    while !isDecided { decide(isMarkup: isMarkup) }
    decodeHeld(into: &text, isEnd: true)
  }

  private var isDecided = false
  /// The number of bytes in which the page may say its encoding, as far as they are known. It doubles, so that the work
  /// does not grow faster than the head.
  private var wanted = Self.prescanLength

  /// The encoding of the queries in a page's addresses, or nil for UTF-8.
  var queries: QueryEncoding? {
    if case .singleByte(let table)? = encoding { QueryEncoding(table: table) } else { nil }
  }

  /// True for an encoding of which ASCII alone is read: U+FFFD stands for all else.
  var isOfASCII: Bool { if case .multiByte? = encoding { true } else { false } }

  /// True if the header says that characters have two bytes each: of such a text a NUL is a part.
  var isWide: Bool { if case .utf16? = encoding { true } else { false } }

  /// Decides the encoding, or wants more of the page.
  private mutating func decide(isMarkup: Bool) {
    if held.starts(with: [0xEF, 0xBB, 0xBF]) {
      encoding = .utf8
      held.removeFirst(3)
    } else if held.starts(with: [0xFE, 0xFF]) || held.starts(with: [0xFF, 0xFE]) {
      encoding = .utf16(isBigEndian: held[0] == 0xFE)
      held.removeFirst(2)
    } else if encoding == nil, isMarkup {
      let beginning = CharsetSink(held.prefix(wanted))
      if beginning.isInHead, wanted < Self.longestHead {
        wanted *= 2
        return
      }
      encoding = beginning.encoding
      // Text that could be read as ASCII so far cannot be UTF-16.
      if case .utf16? = encoding { encoding = .utf8 }
    }
    isGuess = encoding == nil
    isDecided = true
  }

  private mutating func decodeHeld(into text: inout [UInt8], isEnd: Bool) {
    switch encoding ?? .utf8 {
    case .utf8: decodeUTF8(into: &text, isEnd: isEnd)
    case .utf16(let isBigEndian): decodeUTF16(isBigEndian, into: &text, isEnd: isEnd)
    case .singleByte(let table):
      let upper = table.upperHalf
      for byte in held { Self.append(byte < 0x80 ? Unicode.Scalar(byte) : upper[Int(byte & 0x7F)], to: &text) }
      held = []
    case .multiByte:
      var wasHigh = false
      for byte in held {
        if byte < 0x80 { text.append(byte) } else if !wasHigh { text += UTF8.encodedReplacementCharacter }
        wasHigh = byte >= 0x80
      }
      held = []
    }
  }

  // MARK: UTF-8

  private mutating func decodeUTF8(into text: inout [UInt8], isEnd: Bool) {
    // Nearly all texts have no mistake, and are taken in one piece.
    let whole = Self.endOfWhole(held)
    if (try? UTF8Span(validating: held.span.extracting(0..<whole))) != nil {
      text += held[..<whole]
      held.removeFirst(whole)
      if !isEnd { return }
    }
    var at = 0
    while at < held.count {
      if held[at] < 0x80 {
        text.append(held[at])
        at += 1
        continue
      }
      switch Self.character(held, at) {
      case .whole(let length):
        text += held[at..<(at + length)]
        at += length
      case .cut where !isEnd:
        held.removeFirst(at)
        return
      case .cut, .wrong:
        if isGuess {
          encoding = .singleByte(.windows1252)
          held.removeFirst(at)
          return decodeHeld(into: &text, isEnd: isEnd)
        }
        text += UTF8.encodedReplacementCharacter
        at += 1
      }
    }
    held = []
  }

  /// The end of the last character that is not cut off, if the text has no mistake.
  private static func endOfWhole(_ bytes: [UInt8]) -> Int {
    for distance in 1...3 where distance <= bytes.count {
      let at = bytes.count - distance
      if bytes[at] < 0x80 { return bytes.count }
      if bytes[at] >= 0xC0 {
        if case .cut = character(bytes, at) { return at }
        return bytes.count
      }
    }
    return bytes.count
  }

  private enum Character { case whole(Int), cut, wrong }

  /// The character of more than one byte at a place, by the table of well-formed sequences of the Unicode standard.
  private static func character(_ bytes: [UInt8], _ at: Int) -> Character {
    let first = bytes[at]
    let (length, second): (Int, ClosedRange<UInt8>)
    switch first {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return .wrong
    }
    for index in 1..<length {
      guard at + index < bytes.count else { return .cut }
      guard (index == 1 ? second : 0x80...0xBF).contains(bytes[at + index]) else { return .wrong }
    }
    return .whole(length)
  }

  // MARK: UTF-16

  private mutating func decodeUTF16(_ isBigEndian: Bool, into text: inout [UInt8], isEnd: Bool) {
    var at = 0
    while at + 1 < held.count {
      let (one, two) = (UInt16(held[at]), UInt16(held[at + 1]))
      take(isBigEndian ? one << 8 | two : two << 8 | one, into: &text)
      at += 2
    }
    held.removeFirst(at)
    if isEnd, half != nil || !held.isEmpty {
      (half, held) = (nil, [])
      text += UTF8.encodedReplacementCharacter
    }
  }

  private mutating func take(_ unit: UInt16, into text: inout [UInt8]) {
    if let high = half {
      half = nil
      if (0xDC00..<0xE000).contains(unit) {
        let value = 0x10000 + (UInt32(high) - 0xD800) << 10 + UInt32(unit) - 0xDC00
        return Self.append(Unicode.Scalar(value) ?? "\u{FFFD}", to: &text)
      }
      text += UTF8.encodedReplacementCharacter
    }
    if (0xD800..<0xDC00).contains(unit) {
      half = unit
    } else {
      Self.append(Unicode.Scalar(unit) ?? "\u{FFFD}", to: &text)
    }
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    if scalar.value < 0x80 {
      text.append(UInt8(scalar.value))
    } else {
      text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }
}

/// Looks for the encoding that a page names in a `meta` element, or an XML text in its declaration.
private struct CharsetSink: HTMLTokenSink {
  private var label: [UInt8]?
  private var declaration: [UInt8]?
  private var isBehindHead = false

  init(_ beginning: ArraySlice<UInt8>) {
    var tokenizer = HTMLTokenizer()
    tokenizer.feed(beginning.span, into: &self)
  }

  var encoding: TextEncoding? { (declaration ?? label).flatMap { TextEncoding(label: $0) } }

  /// True if nothing has been said so far, and only elements of a head have come.
  var isInHead: Bool { declaration == nil && label == nil && !isBehindHead }

  /// The elements before whose end browsers go on looking.
  private static let elementsOfHead: Set<String> = [
    "html", "head", "title", "base", "meta", "link", "style", "script", "noscript", "object",
  ]

  var wantsText: Bool { true }
  var hasSections: Bool { false }
  mutating func endTag(_ tag: borrowing HTMLTag) {}
  mutating func text(_ bytes: Span<UInt8>) {}
  mutating func doctype(_ doctype: HTMLDoctype) {}

  /// `<?xml version="1.0" encoding="…"?>` is a comment to HTML.
  mutating func comment(_ bytes: Span<UInt8>) {
    var comment: [UInt8] = []
    for index in bytes.indices { comment.append(bytes[index]) }
    if comment.starts(with: "?xml".utf8) { declaration = Self.value(of: "encoding", in: comment[...]) }
  }

  mutating func startTag(_ tag: borrowing HTMLTag) -> HTMLContent {
    if !isBehindHead { isBehindHead = !Self.elementsOfHead.contains(String(decoding: tag.name, as: UTF8.self)) }
    guard tag.isNamed("meta"), label == nil else { return tag.isNamed("script") ? .script : .data }
    if let charset = tag.value(of: "charset") {
      label = charset.filter { !TextBytes.isSpace($0) }
    } else if let content = tag.value(of: "content"), let kind = tag.value(of: "http-equiv"),
      "content-type".utf8.elementsEqual(kind.lazy.map(TextBytes.lowered))
    {
      label = Self.value(of: "charset", in: content)
    }
    return .data
  }

  /// The value behind a name and `=`, in quotation marks or up to a blank or a semicolon.
  private static func value(of name: String, in text: ArraySlice<UInt8>) -> [UInt8]? {
    let name = Array(name.utf8)
    var rest = text
    while rest.count > name.count {
      guard rest.prefix(name.count).elementsEqual(name, by: { TextBytes.lowered($0) == $1 }) else {
        rest.removeFirst()
        continue
      }
      rest = rest.dropFirst(name.count).drop(while: TextBytes.isSpace)
      guard rest.first == UInt8(ascii: "=") else { continue }
      rest = rest.dropFirst().drop(while: TextBytes.isSpace)
      if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
        return Array(rest.dropFirst().prefix { $0 != quote })
      }
      return Array(rest.prefix { !TextBytes.isSpace($0) && $0 != UInt8(ascii: ";") })
    }
    return nil
  }
}
