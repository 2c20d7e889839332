import ImgfetchPages

/// Collects tokens as texts, in the form in which tests compare them.
struct TokenCollector: HTMLTokenSink {
  private(set) var tokens: [String] = []
  private var characters: [UInt8] = []
  /// The content that follows start tags of these names.
  var contents: [String: HTMLContent] = [:]
  var hasSections = false

  var wantsText: Bool { true }

  mutating func startTag(_ tag: borrowing HTMLTag) -> HTMLContent {
    var attributes: [String: String] = [:]
    for index in 0..<tag.attributeCount {
      let (name, value) = tag.attribute(index)
      attributes[text(name)] = text(value)
    }
    let list = attributes.sorted { $0.key < $1.key }.map { "\($0.key.debugDescription)=\($0.value.debugDescription)" }
    add(
      "<" + ([text(tag.name).debugDescription] + list + (tag.isSelfClosing ? ["/"] : [])).joined(separator: " ") + ">")
    return contents[text(tag.name)] ?? .data
  }

  mutating func endTag(_ tag: borrowing HTMLTag) { add("</\(text(tag.name).debugDescription)>") }

  mutating func text(_ bytes: Span<UInt8>) {
    for index in bytes.indices { characters.append(bytes[index]) }
  }

  mutating func comment(_ bytes: Span<UInt8>) {
    var comment: [UInt8] = []
    for index in bytes.indices { comment.append(bytes[index]) }
    add("<!--\(text(comment).debugDescription)-->")
  }

  mutating func doctype(_ doctype: HTMLDoctype) {
    let parts = [doctype.name, doctype.publicIdentifier, doctype.systemIdentifier].map { $0.map { text($0) } }
    add(Self.doctype(parts, isCorrect: !doctype.forcesQuirks))
  }

  mutating func finish() { endCharacters() }

  static func doctype(_ parts: [String?], isCorrect: Bool) -> String {
    "<!DOCTYPE \(parts.map { $0?.debugDescription ?? "-" }.joined(separator: " "))\(isCorrect ? "" : " quirks")>"
  }

  private mutating func add(_ token: String) {
    endCharacters()
    tokens.append(token)
  }

  private mutating func endCharacters() {
    guard !characters.isEmpty else { return }
    tokens.append(text(characters).debugDescription)
    characters = []
  }

  private func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
}

/// The tokens of a page that comes in pieces of these sizes, in turn.
func tokens(
  of page: String, cutInto sizes: [Int] = [Int.max], content: HTMLContent = .data, lastStartTag: String = "",
  contents: [String: HTMLContent] = [:], isForeign: Bool = false
) -> [String] {
  var tokenizer = HTMLTokenizer(content: content, lastStartTag: lastStartTag)
  var collector = TokenCollector()
  collector.contents = contents
  collector.hasSections = isForeign
  let bytes = Array(page.utf8)
  var at = 0
  var turn = 0
  while at < bytes.count {
    let end = at + min(bytes.count - at, sizes[turn % sizes.count])
    tokenizer.feed(bytes[at..<end].span, into: &collector)
    (at, turn) = (end, turn + 1)
  }
  tokenizer.finish(into: &collector)
  collector.finish()
  return collector.tokens
}
