/// Finds the pictures of a Markdown text: `![alt](address "title")`, references `[name]: address`, and any HTML in it.
///
/// Reads line by line; lines with an open bracket, or open code, are read together with the lines that follow. Code and
/// comments are skipped: a picture in an example does not count.
package struct MarkdownImages: PictureParser {
  private var lines = TextLines()
  private var containers = MarkdownContainers()
  private var fence: (mark: UInt8, count: Int)?
  /// True within a paragraph, or a piece of HTML: an indented line is no code there.
  private var isInParagraph = false
  /// The name of a definition whose address is to follow in the next line.
  private var definition: [UInt8]?
  /// True if a line of the paragraph began as HTML. Behind that a grave accent begins no code.
  private var isOfHTML = false
  /// The lines of a paragraph in which a bracket or a piece of code is open.
  private var held: [UInt8] = []
  /// The number of brackets that are open in ``held``.
  private var openBrackets = 0
  /// The length of the mark of the code that may be open in ``held``, or 0.
  private var openCode = 0
  /// True within a comment that an earlier line has begun.
  private var isInComment = false
  /// A picture in the order of the text.
  private enum Place: Sendable {
    case image(PageImage)
    /// A picture whose address is defined by a line under this name, perhaps a later one.
    case reference(name: [UInt8], alt: [UInt8])
  }

  /// The addresses of the definitions so far, by their names.
  private var definitions: [[UInt8]: (address: [UInt8], title: [UInt8]?)] = [:]
  private var found: [Place] = []
  /// References without a definition for which no others wait any more.
  private var late: [Place] = []
  private var isFinished = false
  /// The number of pictures that may wait for the definition of an earlier one.
  private static let mostWaiting = 2_048
  private var html = HTMLSource()

  /// The bytes that definitions may still take.
  private var roomForDefinitions = 1 << 22
  /// The bytes that pictures may still take that wait for a definition.
  private var roomForReferences = 1 << 22
  /// The number of definitions, and of pictures that wait for one, for which there was no room.
  private(set) var passedOver = 0
  /// For each bracket that opens in the line the one that closes it, or nothing where there is none.
  private var closings: [Int32] = []
  /// The lengths of marks of code that nothing closes in the rest of the line, a bit each.
  private var loneMarks: UInt64 = 0

  private static let longestName = 1_000
  /// Marks of code that are longer are text: each length costs a search of the line.
  private static let longestMark = 32

  package init() {}

  package mutating func feed(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      if let line = lines.take(bytes[index]) { end(line) }
    }
  }

  package mutating func finish() {
    end(lines.takeLine())
    endParagraph()
    html.finish()
    takeHTML()
    isFinished = true
  }

  /// Takes the pictures found so far, up to the first whose definition is yet to come.
  package mutating func takeFound() -> [PageImage] {
    var images: [PageImage] = []
    var taken = 0
    for place in found {
      switch place {
      case .image(let image): images.append(image)
      case .reference(let name, let alt):
        if let image = image(defined: name, alt) {
          images.append(image)
          roomForReferences += Self.cost(name, alt)
        } else if !isFinished {
          guard found.count - taken > Self.mostWaiting else { return take(taken, images) }
          late.append(place)
        }
      }
      taken += 1
    }
    return take(taken, images)
  }

  private mutating func take(_ count: Int, _ images: [PageImage]) -> [PageImage] {
    found.removeFirst(count)
    guard isFinished else { return images }
    defer { late = [] }
    return images
      + late.compactMap { if case .reference(let name, let alt) = $0 { image(defined: name, alt) } else { nil } }
  }

  private func image(defined name: [UInt8], _ alt: [UInt8]) -> PageImage? {
    definitions[name].map { Self.image($0.address, alt, title: $0.title) }
  }

  // MARK: Lines

  private mutating func end(_ line: [UInt8]) {
    let whole = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
    if isInComment { return takeComment(whole) }
    var line = MarkdownLine(whole)
    let matched = containers.match(&line)
    let isInside = matched == containers.count
    if let open = fence, isInside {
      if line.ends(open) { fence = nil }
      return
    }
    fence = nil
    if containers.begin(in: &line, behind: matched, isInParagraph: isInParagraph) {
      endParagraph()
    } else if !isInside, !isInParagraph || endsParagraph(line) {
      // A paragraph continues without the marks of what is around it.
      containers.close(behind: matched)
      endParagraph()
    }
    if isInParagraph, endsParagraph(line) { endParagraph() }
    // The paragraph may have ended in the middle of a comment.
    if isInComment { takeComment(line.text) } else { take(line) }
  }

  /// Takes a line without the marks of what is around it.
  private mutating func take(_ line: MarkdownLine) {
    let name = definition.take()
    guard !line.text.isEmpty, isInParagraph || name != nil || !line.isIndentedCode else { return }
    if let fence = line.fence { return self.fence = fence }
    if takeDefinition(line.text, of: name) { return }
    isOfHTML = line.text.first == UInt8(ascii: "<") || (isInParagraph && isOfHTML)
    isInParagraph = true
    join(line.text)
    if line.isHeading || line.isRule { endParagraph() }
  }

  private mutating func takeHTML(of text: ArraySlice<UInt8>) {
    guard !text.isEmpty else { return }
    html.feed(text.span)
    takeHTML()
  }

  private mutating func endLineOfHTML() {
    let end: [UInt8] = [UInt8(ascii: "\n")]
    takeHTML(of: end[...])
  }

  private mutating func takeHTML() {
    for case .image(let image) in html.takeFindings() { found.append(.image(image)) }
  }

  // MARK: Paragraphs

  /// Takes a line of text, or keeps it until its brackets and its code are closed.
  private mutating func join(_ text: ArraySlice<UInt8>) {
    if held.count + text.count >= TextLines.longest { takeHeld() }
    if !held.isEmpty { held.append(UInt8(ascii: "\n")) }
    held += text
    noteOpen(text)
    if openBrackets == 0, openCode == 0, !text.suffix(2).elementsEqual("](".utf8) { takeHeld() }
  }

  /// Notes what is open behind a line. Where it turns out to be none, too many lines are read together, which costs
  /// nothing but their memory.
  private mutating func noteOpen(_ text: ArraySlice<UInt8>) {
    var at = text.startIndex
    while at < text.endIndex {
      switch text[at] {
      case UInt8(ascii: "\\") where openCode == 0: at += 1
      case UInt8(ascii: "["): openBrackets += 1
      case UInt8(ascii: "]"): openBrackets = max(0, openBrackets - 1)
      case UInt8(ascii: "`") where !isOfHTML:
        let length = text[at...].prefix { $0 == UInt8(ascii: "`") }.count
        if openCode == 0 { openCode = length } else if openCode == length { openCode = 0 }
        at += length - 1
      default: break
      }
      at += 1
    }
  }

  private mutating func endParagraph() {
    isInParagraph = false
    takeHeld()
  }

  private mutating func takeHeld() {
    let text = held
    (held, openBrackets, openCode) = ([], 0, 0)
    if !text.isEmpty { takeInline(text[...]) }
  }

  /// True for a line that no paragraph continues with: a blank one, a rule, code, a heading, a row of a table or a
  /// definition.
  private func endsParagraph(_ line: MarkdownLine) -> Bool {
    if line.text.isEmpty || line.isRule || line.isHeading || line.fence != nil { return true }
    switch line.text.first {
    case _ where line.isIndentedCode: return false
    case UInt8(ascii: "|")?: return true
    case UInt8(ascii: "[")?: return Self.endOfName(line.text) != nil
    default: return false
    }
  }

  // MARK: Comments

  /// Takes a line that begins within a comment.
  private mutating func takeComment(_ text: ArraySlice<UInt8>) {
    if let end = Self.endOfComment(text, text.startIndex) {
      isInComment = false
      takeHTML(of: text[..<end])
      takeInline(text[end...])
    } else {
      takeHTML(of: text)
      endLineOfHTML()
    }
  }

  /// The place behind a comment that begins here. Without an end it goes on in the lines that follow.
  private mutating func passComment(_ text: ArraySlice<UInt8>, _ start: Int) -> Int {
    // The marks of an empty one may overlap: `<!-->`.
    if let end = Self.endOfComment(text, start + 2) { return end }
    isInComment = true
    return text.endIndex
  }

  /// The place behind the next end of a comment, or nil if there is none.
  private static func endOfComment(_ text: ArraySlice<UInt8>, _ start: Int) -> Int? {
    var at = start
    while at + 2 < text.endIndex {
      if text[at] == UInt8(ascii: "-"), text[at + 1] == UInt8(ascii: "-"), text[at + 2] == UInt8(ascii: ">") {
        return at + 3
      }
      at += 1
    }
    return nil
  }

  // MARK: Definitions

  /// The bracket that ends the name of a definition, or nil if the line is none.
  private static func endOfName(_ text: ArraySlice<UInt8>) -> Int? {
    guard text.first == UInt8(ascii: "["), let close = text.firstIndex(of: UInt8(ascii: "]")),
      close + 1 < text.endIndex, text[close + 1] == UInt8(ascii: ":"), close - text.startIndex <= longestName
    else { return nil }
    return close
  }

  /// A name as it is looked up: in any case, with one space for all blanks between two words.
  private static func plainName(_ name: ArraySlice<UInt8>) -> [UInt8] {
    (TextBytes.words(name) ?? []).map(TextBytes.lowered)
  }

  /// Takes `[name]: address "title"`, or the address of a name in the line before. Returns false if the line is
  /// something else.
  private mutating func takeDefinition(_ text: ArraySlice<UInt8>, of earlier: [UInt8]?) -> Bool {
    if let earlier, let target = MarkdownTarget(text), target.end == text.endIndex {
      return define(earlier, as: target)
    }
    // A name with a caret is that of a footnote, which may have pictures in its text.
    guard let close = Self.endOfName(text), text[text.startIndex + 1] != UInt8(ascii: "^") else { return false }
    let name = Self.plainName(text[(text.startIndex + 1)..<close])
    guard let target = MarkdownTarget(text[(close + 2)...]), target.end == text.endIndex else { return false }
    if !target.reference.isEmpty { return define(name, as: target) }
    definition = name
    return true
  }

  private mutating func define(_ name: [UInt8], as target: MarkdownTarget) -> Bool {
    // Of several the first counts.
    guard definitions[name] == nil else { return true }
    let (address, title) = (target.address, target.title)
    if Self.take(Self.cost(name, address) + (title?.count ?? 0), from: &roomForDefinitions) {
      definitions[name] = (address, title)
    } else {
      passedOver += 1
    }
    return true
  }

  // MARK: Pictures

  /// Takes the pictures of a text in their order: those of Markdown, and those of the HTML around them. Code has none.
  private mutating func takeInline(_ text: ArraySlice<UInt8>) {
    loneMarks = 0
    findClosings(text)
    var at = text.startIndex
    var html = at
    var hasTag = false
    while at < text.endIndex {
      let isPicture = text[at] == UInt8(ascii: "!") && at + 1 < text.endIndex && text[at + 1] == UInt8(ascii: "[")
      if hasTag, isPicture || "[hH".utf8.contains(text[at]) {
        takeHTML(of: text[html..<at])
        (html, hasTag) = (at, false)
      }
      switch text[at] {
      case UInt8(ascii: "\\"):
        if at + 1 < text.endIndex, text[at + 1] == UInt8(ascii: "<") {
          takeHTML(of: text[html..<at])
          html = at + 2
        }
        at += 2
      case UInt8(ascii: "`"):
        takeHTML(of: text[html..<at])
        at = endOfCode(text, at)
        html = at
      case UInt8(ascii: "<"):
        hasTag = true
        at = text[at...].starts(with: "<!--".utf8) ? passComment(text, at) : Self.endOfTag(text, at) ?? at + 1
      case UInt8(ascii: ">"):
        // The end of a tag whose address was read by itself.
        hasTag = true
        at += 1
      case UInt8(ascii: "!") where isPicture: at = takePicture(text, at + 2)
      case UInt8(ascii: "["): at = takeLink(text, at + 1)
      case UInt8(ascii: "h"), UInt8(ascii: "H"): at = takeAddress(text, at)
      default: at += 1
      }
    }
    takeHTML(of: text[html...])
    endLineOfHTML()
  }

  /// The place behind a tag that begins here, in whose values no mark counts; nil if none begins, or if it does not end
  /// in this text.
  ///
  /// A quotation mark counts only where a value may begin, or the search from each tag could lead to the end.
  private static func endOfTag(_ text: ArraySlice<UInt8>, _ start: Int) -> Int? {
    let name = text[(start + 1)...].prefix {
      TextBytes.isLetter($0) || TextBytes.isDigit($0) || $0 == UInt8(ascii: "-")
    }
    guard name.first.map(TextBytes.isLetter) ?? false else { return nil }
    var quote: UInt8?
    var last = UInt8(ascii: "<")
    for at in name.endIndex..<text.endIndex {
      let byte = text[at]
      if let open = quote {
        if byte == open { quote = nil }
      } else {
        switch byte {
        case UInt8(ascii: ">"): return at + 1
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
          guard last == UInt8(ascii: "=") else { return nil }
          quote = byte
        // Outside of values these are marks of Markdown, and a colon belongs to an address.
        case _ where "<![`\\:".utf8.contains(byte): return nil
        default: break
        }
      }
      if !TextBytes.isSpace(byte) { last = byte }
    }
    return nil
  }

  /// The place behind a piece of code, or behind its marks where it is not closed.
  private mutating func endOfCode(_ text: ArraySlice<UInt8>, _ start: Int) -> Int {
    let run = text[start...].prefix { $0 == UInt8(ascii: "`") }.count
    guard run <= Self.longestMark, loneMarks & 1 << UInt64(run) == 0 else { return start + run }
    var at = start + run
    while at < text.endIndex {
      let length = text[at...].prefix { $0 == UInt8(ascii: "`") }.count
      if length == run { return at + run }
      at += max(1, length)
    }
    loneMarks |= 1 << UInt64(run)
    return start + run
  }

  /// Takes a picture whose text begins here; returns the place behind it.
  private mutating func takePicture(_ text: ArraySlice<UInt8>, _ start: Int) -> Int {
    guard let close = closing(text, start) else { return start }
    let next = close + 1
    if next < text.endIndex, text[next] == UInt8(ascii: "(") {
      guard let target = MarkdownTarget(text[(next + 1)...]), Self.isEnd(text, target.end) else { return start }
      add(target.address, Self.alt(text[start..<close]), title: target.title)
      return target.end
    }
    var name = text[start..<close]
    var behind = next
    if next < text.endIndex, text[next] == UInt8(ascii: "["), let end = closing(text, next + 1) {
      if end > next + 1 { name = text[(next + 1)..<end] }
      behind = end + 1
    }
    // A name has no brackets, but a text that is none may have pictures.
    if name.startIndex == start, hasBracket(text, name) { return start }
    guard name.count <= Self.longestName else { return behind }
    let (known, alt) = (Self.plainName(name), Self.alt(text[start..<close]))
    if let image = image(defined: known, alt) {
      found.append(.image(image))
    } else if Self.take(Self.cost(known, alt), from: &roomForReferences) {
      found.append(.reference(name: known, alt: alt))
    } else {
      passedOver += 1
    }
    return behind
  }

  private static func alt(_ text: ArraySlice<UInt8>) -> [UInt8] {
    TextBytes.words(MarkdownTarget.plain(text)[...]) ?? []
  }

  /// True if an address and its title end as those of a picture do; some programs take a size behind them.
  private static func isEnd(_ text: ArraySlice<UInt8>, _ place: Int) -> Bool {
    place == text.endIndex || ")=\"'(".utf8.contains(text[place])
  }

  /// True if a bracket opens in a part of the text. The part has a bracket that closes it.
  private func hasBracket(_ text: ArraySlice<UInt8>, _ part: ArraySlice<UInt8>) -> Bool {
    part.indices.contains { closings[$0 - text.startIndex] >= 0 }
  }

  /// Takes a link to a picture, whose text begins here; returns the place where the search goes on: a
  /// link's text may be a picture.
  private mutating func takeLink(_ text: ArraySlice<UInt8>, _ start: Int) -> Int {
    guard let close = closing(text, start), close + 1 < text.endIndex, text[close + 1] == UInt8(ascii: "("),
      let target = MarkdownTarget(text[(close + 2)...]), ReferenceFormat(reference: target.reference) != nil
    else { return start }
    found.append(.image(PageImage(.link, target.address[...])))
    return start
  }

  /// Takes an address that stands in the text by itself; returns the place behind it.
  private mutating func takeAddress(_ text: ArraySlice<UInt8>, _ start: Int) -> Int {
    guard let address = TextImages.address(text, at: start) else { return start + 1 }
    // The address of an attribute belongs to a tag, which is read as HTML.
    let isOfTag =
      start > text.startIndex && (text[start - 1] == UInt8(ascii: "\"") || text[start - 1] == UInt8(ascii: "="))
    if ReferenceFormat(reference: address) != nil, !isOfTag { found.append(.image(PageImage(.link, address))) }
    return address.endIndex
  }

  /// Finds out in one pass which bracket closes which: a search from each that opens would not be linear.
  private mutating func findClosings(_ text: ArraySlice<UInt8>) {
    closings.removeAll(keepingCapacity: true)
    guard text.contains(UInt8(ascii: "[")) else { return }
    closings.append(contentsOf: repeatElement(-1, count: text.count))
    var open: [Int] = []
    var at = text.startIndex
    while at < text.endIndex {
      switch text[at] {
      case UInt8(ascii: "\\"): at += 1
      case UInt8(ascii: "["): open.append(at - text.startIndex)
      case UInt8(ascii: "]"):
        if let start = open.popLast() { closings[start] = Int32(truncatingIfNeeded: at - text.startIndex) }
      default: break
      }
      at += 1
    }
  }

  /// The bracket that closes a text which begins here, brackets within it aside.
  private func closing(_ text: ArraySlice<UInt8>, _ start: Int) -> Int? {
    let place = start - 1 - text.startIndex
    guard closings.indices.contains(place), closings[place] >= 0 else { return nil }
    return text.startIndex + Int(closings[place])
  }

  /// The bytes that a definition or a waiting picture takes: an entry costs so much besides its own.
  private static func cost(_ name: [UInt8], _ text: [UInt8]) -> Int { name.count + text.count + 128 }

  /// Takes bytes from a room. Returns false where there are not so many left.
  private static func take(_ count: Int, from room: inout Int) -> Bool {
    guard count <= room else { return false }
    room -= count
    return true
  }

  private mutating func add(_ address: [UInt8], _ alt: [UInt8], title: [UInt8]?) {
    if !address.isEmpty { found.append(.image(Self.image(address, alt, title: title))) }
  }

  private static func image(_ address: [UInt8], _ alt: [UInt8], title: [UInt8]?) -> PageImage {
    var image = PageImage(.image, address[...])
    image.alt = alt.isEmpty ? nil : alt
    image.title = title
    return image
  }
}
