import ImgfetchCore

/// Finds the pictures in JSON-LD: the values of `image` and similar keys, as a text, in a list, or as an object with an
/// address, and each object whose type is a picture.
package struct LinkedData: Sendable {
  /// An object or array that is open.
  private struct Level: Sendable {
    /// True for one that stands for a picture, or for a list of some.
    var isPicture = false
    /// True for a list of types.
    var isOfTypes = false
    /// True within a context, which says what keys mean, and holds no data.
    var isContext = false
    /// The addresses that an object has: of its bytes, of itself, its name, and those of smaller forms.
    var content: [UInt8]?
    var url: [UInt8]?
    var name: [UInt8]?
    var smaller: [[UInt8]] = []
  }

  private var reader = JSONReader()
  private var open: [Level] = []
  private var key: [UInt8]?
  private var found: [PageImage] = []
  /// True after the first bracket: pages put comments and sections of text around the data.
  private var hasBegun = false
  private var isEmpty = true

  private static let pictureKeys: Set<String> = [
    "image", "images", "photo", "photos", "primaryImageOfPage", "thumbnail", "thumbnailUrl", "logo", "screenshot",
  ]
  /// The keys whose values stand for the object around them.
  private static let wrappers: Set<String> = ["@list", "@set", "@value", "contentUrl", "url"]
  private static let mostSmaller = 16
  private static let longest = 8_192

  package init() {}

  package mutating func feed(_ bytes: Span<UInt8>) {
    let start = beginning(of: bytes)
    // The reader is taken out, since it calls back into this value.
    var reader = reader
    reader.feed(bytes.extracting(start..<bytes.count)) { take($0) }
    self.reader = reader
  }

  /// The place at which the data begin: a list, if that comes first, or an object.
  private mutating func beginning(of bytes: Span<UInt8>) -> Int {
    if hasBegun { return 0 }
    for at in bytes.indices where bytes[at] > 0x20 {
      if bytes[at] == UInt8(ascii: "{") || isEmpty && bytes[at] == UInt8(ascii: "[") {
        hasBegun = true
        return at
      }
      isEmpty = false
    }
    return bytes.count
  }

  private mutating func take(_ event: JSONEvent) {
    let named = key.map { String(decoding: $0, as: UTF8.self) }
    key = nil
    switch event {
    case .key(let name): key = name
    case .beginObject: begin(named)
    case .beginArray: begin(named, isOfTypes: named == "@type")
    case .endObject, .endArray: if let level = open.popLast() { end(level) }
    case .string(let text): take(text, named)
    case .literal: break
    }
  }

  private mutating func begin(_ named: String?, isOfTypes: Bool = false) {
    if named == "@context" || open.last?.isContext ?? false { return open.append(Level(isContext: true)) }
    open.append(Level(isPicture: isPicture(named), isOfTypes: isOfTypes))
  }

  /// True if an object or a list stands for a picture by its place.
  private func isPicture(_ named: String?) -> Bool {
    let isOuter = open.last?.isPicture ?? false
    return named.map { Self.pictureKeys.contains($0) || isOuter && Self.wrappers.contains($0) } ?? isOuter
  }

  private mutating func take(_ text: [UInt8], _ named: String?) {
    guard let level = open.last, !level.isContext, !text.isEmpty else { return }
    let last = open.count - 1
    switch named {
    case nil where open[last].isOfTypes: if last > 0 { takeType(text, at: last - 1) }
    case nil, "@value"?: if open[last].isPicture { add([text]) }
    case "@type"?: takeType(text, at: last)
    case "thumbnailUrl"? where open[last].isPicture:
      if open[last].smaller.count < Self.mostSmaller { open[last].smaller.append(text) }
    case let key? where Self.pictureKeys.contains(key): add([text])
    case "contentUrl"?: hold(text, \.content, at: last)
    case "url"?: hold(text, \.url, at: last)
    case "@id"?: if open[last].isPicture { hold(text, \.name, at: last) }
    default: break
    }
  }

  private mutating func hold(_ text: [UInt8], _ place: WritableKeyPath<Level, [UInt8]?>, at level: Int) {
    if text.count <= Self.longest || Self.isEmbedded(text) { open[level][keyPath: place] = text }
  }

  private static func isEmbedded(_ text: [UInt8]) -> Bool { text.starts(with: "data:".utf8) }

  private mutating func takeType(_ text: [UInt8], at level: Int) {
    if text.suffix(11).elementsEqual("ImageObject".utf8) { open[level].isPicture = true }
  }

  /// Takes an object as one picture, whatever addresses it has. Its identifier counts only if it has no other address,
  /// and not if that names a thing in a page (`https://example.org/#logo`).
  private mutating func end(_ level: Level) {
    guard level.isPicture else { return }
    let name = level.name.flatMap { $0.contains(UInt8(ascii: "#")) && !Self.isOfImage($0) ? nil : $0 }
    if level.content == nil, let url = level.url, !Self.isOfImage(url), level.smaller.contains(where: Self.isOfImage) {
      // The address of an object is often that of a page about the picture.
      add([url])
      add(level.smaller)
    } else {
      add([level.content ?? level.url ?? name].compactMap(\.self) + level.smaller)
    }
  }

  private static func isOfImage(_ reference: [UInt8]) -> Bool { ReferenceFormat(reference: reference[...]) != nil }

  private mutating func add(_ references: [[UInt8]]) {
    let candidates = references.filter { $0.first != UInt8(ascii: "#") }.map { reference in
      PageImage.Candidate(reference: PageImage.Candidate.kept(reference[...]))
    }
    if !candidates.isEmpty { found.append(PageImage(.meta, candidates)) }
  }

  /// Ends the data. If they are cut short, or are not JSON from some place on, the open objects count with the
  /// addresses that they have.
  mutating func finish() {
    while let level = open.popLast() { end(level) }
  }

  mutating func takeFound() -> [PageImage] { exchange(&found, with: []) }
}
