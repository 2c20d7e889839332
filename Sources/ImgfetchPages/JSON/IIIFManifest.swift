/// Reads a manifest or a collection of the IIIF Presentation API, versions 2 and 3, while its bytes arrive: its
/// canvases in order, each with the largest picture that its service gives, and the manifests that a collection names.
package struct IIIFManifest: Sendable {
  private var reader = JSONReader()
  /// The keys that lead to the place in the text; arrays add nothing.
  private var path: [[UInt8]?] = []
  private var key: [UInt8]?
  private var part: JSONTreeBuilder?
  private var found: [SourceFinding] = []
  /// True if the text states that it is a manifest, and nil as long as it has not said.
  package private(set) var isManifest: Bool?

  package init() {}

  package mutating func feed(_ bytes: Span<UInt8>) {
    // The reader is taken out, since it calls back into this value.
    var reader = reader
    reader.feed(bytes) { take($0) }
    self.reader = reader
    if reader.hasFailed { isManifest = false }
  }

  package mutating func takeFound() -> [SourceFinding] { exchange(&found, with: []) }

  private mutating func take(_ event: JSONEvent) {
    if let tree = part?.take(event) {
      part = nil
      return take(part: tree)
    }
    if part != nil { return }
    switch event {
    case .key(let name): return key = name
    case .beginObject:
      if isPart { return beginPart(event) }
      path.append(key)
    case .beginArray: path.append(key)
    case .endObject, .endArray:
      path.removeLast()
      if path.isEmpty, isManifest == nil { isManifest = false }
    case .string(let text): takeContext(text)
    case .literal: break
    }
    key = nil
  }

  private mutating func beginPart(_ event: JSONEvent) {
    var builder = JSONTreeBuilder()
    _ = builder.take(event)
    part = builder
    key = nil
  }

  /// Takes the context, which is at the root, as a text or in a list.
  private mutating func takeContext(_ text: [UInt8]) {
    let name = key ?? path.last.flatMap { $0 }
    guard path.count <= 2, name?.elementsEqual("@context".utf8) ?? false else { return }
    let words = String(decoding: text, as: UTF8.self)
    if words.utf8.starts(with: "http://iiif.io/api/presentation/".utf8)
      || words.utf8.starts(with: "https://iiif.io/api/presentation/".utf8)
    {
      isManifest = true
    }
  }

  /// True if the object that begins is a canvas, or stands for another manifest.
  private var isPart: Bool {
    guard key == nil else { return false }
    let names = path.compactMap { $0.map { String(decoding: $0, as: UTF8.self) } }
    return names == ["items"] || names == ["sequences", "canvases"] || names == ["manifests"]
      || names == ["collections"] || names == ["members"]
  }

  private mutating func take(part tree: JSONTree) {
    let type = tree["type", "@type"]?.text.map { String(decoding: $0, as: UTF8.self) } ?? ""
    if type.hasSuffix("Manifest") || type.hasSuffix("Collection") {
      if let address = tree["id", "@id"]?.text { found.append(.source(address)) }
      return
    }
    let label = Self.label(tree["label"])
    for body in Self.bodies(of: tree) {
      guard let candidate = Self.candidate(body) else { continue }
      var image = PageImage(.feed, [candidate])
      image.title = label
      image.label = label
      image.width = body["width"]?.number
      image.height = body["height"]?.number
      found.append(.image(image))
    }
  }

  /// The pictures that are painted on a canvas.
  private static func bodies(of canvas: JSONTree) -> [JSONTree] {
    let annotations =
      (canvas["images"]?.elements ?? [])
      + (canvas["items"]?.elements.flatMap { $0["items"]?.elements ?? [] } ?? [])
    return annotations.flatMap { annotation -> [JSONTree] in
      guard let body = annotation["resource", "body"] else { return [] }
      return body.elements.compactMap(chosen)
    }
  }

  /// The picture itself: the first of a choice, or the whole of which a part is shown.
  private static func chosen(_ body: JSONTree) -> JSONTree? {
    var body = body
    // Choices and parts are nested no deeper than a choice of parts.
    for _ in 0..<3 {
      let next: JSONTree?
      switch body["type", "@type"]?.text.map({ String(decoding: $0, as: UTF8.self) }) {
      case "Choice": next = body["items"]?.elements.first
      case "oa:Choice": next = body["default"]
      case "SpecificResource": next = body["source"]
      case "oa:SpecificResource": next = body["full"]
      case "Image", "dctypes:Image", nil: return body
      default: return nil
      }
      guard let next else { return nil }
      if case .string = next { return nil }
      body = next
    }
    return nil
  }

  private static func candidate(_ body: JSONTree) -> PageImage.Candidate? {
    let type = body["format"]?.text
    for service in body["service"]?.elements ?? [] {
      if let candidate = candidate(ofService: service) { return candidate }
    }
    return body["id", "@id"]?.text.map { PageImage.Candidate(reference: $0, type: type) }
  }

  /// Returns the largest picture of an image service, or of its `info.json`. Nil if it is another kind of service, or
  /// does not make pictures.
  static func candidate(ofService service: JSONTree) -> PageImage.Candidate? {
    guard let name = service["id", "@id"]?.text else { return nil }
    let base = Array(name.last == UInt8(ascii: "/") ? name.dropLast() : name[...])
    func address(_ size: String) -> [UInt8] { base + Array("/full/\(size)/0/default.jpg".utf8) }
    let words = [service["type", "@type"], service["protocol"]].compactMap { $0?.text }
    let contexts = service["@context"]?.elements.compactMap(\.text) ?? []
    let profiles = service["profile"]?.elements.compactMap(\.text) ?? []
    let said = (words + contexts + profiles).map { String(decoding: $0, as: UTF8.self) }
    func says(_ type: String, _ version: String) -> Bool {
      said.contains { $0 == type || $0.utf8.starts(with: "http://iiif.io/api\(version)".utf8) }
    }
    let isThird = says("ImageService3", "/image/3")
    let isFirst = says("ImageService1", "/image/1")
    guard isThird || isFirst || says("ImageService2", "/image/2") || says("", "/image") else { return nil }
    // The first version has other words for size and quality.
    if isFirst, !says("ImageService2", "/image/2") {
      return PageImage.Candidate(reference: base + Array("/full/full/0/native.jpg".utf8))
    }
    // A service of level 0 has files of certain sizes, and makes no others.
    if said.contains(where: { $0.hasSuffix("level0.json") || $0.hasSuffix("#level0") || $0 == "level0" }) {
      let sizes = (service["sizes"]?.elements ?? []).compactMap { size -> (width: Int, height: Int)? in
        guard let width = size["width"]?.number, let height = size["height"]?.number else { return nil }
        return (width, height)
      }
      guard let most = sizes.max(by: { $0.width < $1.width }) else { return nil }
      return PageImage.Candidate(
        reference: address(isThird ? "\(most.width),\(most.height)" : "\(most.width),"), width: most.width)
    }
    var candidate = PageImage.Candidate(reference: address("max"))
    // Servers of version 2.0 only know the former word for the whole size.
    if !isThird { candidate.fallback = address("full") }
    return candidate
  }

  /// A label as a text: English if it is there, otherwise the first language.
  ///
  /// Each element is evaluated once: `lazy.compactMap` evaluates the one that it finds twice, which doubles at each
  /// level.
  private static func label(_ tree: JSONTree?) -> [UInt8]? {
    switch tree {
    case .string(let text)?: return text
    case .array(let elements)?:
      for element in elements {
        if let text = label(element) { return text }
      }
      return nil
    case .object(let members)?:
      if let value = tree?["@value"] { return value.text }
      return label(tree?["en", "none"] ?? members.first?.value)
    default: return nil
    }
  }
}
