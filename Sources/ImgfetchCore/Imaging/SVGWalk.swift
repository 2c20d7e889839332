/// Walks an SVG: an XML document whose root is `svg`, to the end of the root.
struct SVGWalk: ImageWalk {
  private enum Phase: Sendable { case prolog, picture, end, broken, foreign }

  private let limits: InspectionLimits
  private var phase = Phase.prolog
  private var xml = XMLWalk()
  /// The first bytes, by which a document that is no SVG is named.
  private var head: [UInt8] = []
  /// The flaw of the document, if it is an SVG at all.
  private var fault: InspectionFailure?
  private var found: ImageFacts?
  private var position: Int64 = 0
  private var trailingBytes: Int64 = 0
  private var hasTrailingText = false
  private var hasScript = false

  init(limits: InspectionLimits) { self.limits = limits }

  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    var at = 0
    defer { position += Int64(bytes.count) }
    if phase == .prolog || phase == .foreign {
      for place in 0..<min(bytes.count, Self.headLength - head.count) { head.append(bytes[place]) }
    }
    while phase == .prolog || phase == .picture {
      let event: XMLWalk.Event?
      do { event = try xml.next(bytes, &at) } catch {
        fault = .damaged(.svg, at: position + Int64(at), reason: error.reason)
        phase = phase == .picture ? .broken : .foreign
        break
      }
      switch event {
      case .tag: try takeTag(at: position + Int64(at))
      case .instruction: hasScript = hasScript || SVGScripts.isScript(instruction: xml.instruction)
      case .end, nil: break
      }
      if xml.isComplete, phase == .picture { phase = .end }
      if event == nil, phase != .end { break }
    }
    if phase == .broken, let fault { throw fault }
    if phase == .foreign, head.count >= Self.headLength { throw foreign }
    if phase == .end { countTrailing(bytes, from: at) }
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    switch phase {
    case .end: return .complete
    case .picture: throw .truncated(.svg, at: position)
    case .prolog, .broken, .foreign: throw foreign
    }
  }

  var facts: ImageFacts? {
    var facts = found
    // The end of the last line does not count.
    facts?.trailingBytes = hasTrailingText ? trailingBytes : 0
    if hasScript { facts?.flaws.insert(.script) }
    return facts
  }

  /// True if a document that begins in this way may be an SVG. Comments and declarations may precede its root.
  static func mayBegin(_ head: [UInt8]) -> Bool {
    let start = (head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]).drop(while: XMLWalk.isSpace)
    return ["<svg", "<?xml", "<!--", "<!DOCTYPE sv"].contains { start.starts(with: $0.utf8) }
  }

  /// The failure for a document whose root is not `svg`, or did not come.
  private var foreign: InspectionFailure {
    let name = ForeignBody.name(head)
    guard ForeignBody.isSVG(head) else { return name }
    return fault ?? .truncated(.svg, at: position)
  }

  private mutating func takeTag(at place: Int64) throws(InspectionFailure) {
    if phase == .prolog {
      let isNamedSVG = xml.tag.localName.elementsEqual("svg".utf8)
      guard isNamedSVG, Self.isNamespace(xml.tag) else {
        let root = isNamedSVG ? "not SVG's" : Excerpt.of(Array(xml.tag.name))
        fault = .damaged(.svg, at: place, reason: "its root is \(root)")
        phase = .foreign
        return
      }
      phase = .picture
      let (width, height) = SVGSize.of(xml.tag)
      guard width > 0, height > 0 else { throw .noPixels(.svg) }
      try limits.admit(width: width, height: height, frames: 1)
      found = ImageFacts(format: .svg, width: width, height: height, hasAlpha: true)
    }
    hasScript = hasScript || SVGScripts.isScript(xml.tag)
  }

  /// True if the root's namespace, if it states one, is that of SVG.
  private static func isNamespace(_ tag: XMLTag) -> Bool {
    let prefix = String(decoding: tag.name.dropLast(tag.localName.count).dropLast(), as: UTF8.self)
    guard let name = tag[prefix.isEmpty ? "xmlns" : "xmlns:\(prefix)"] else { return prefix.isEmpty }
    return name.elementsEqual("http://www.w3.org/2000/svg".utf8)
  }

  private mutating func countTrailing(_ bytes: Span<UInt8>, from start: Int) {
    trailingBytes += Int64(bytes.count - start)
    for place in start..<bytes.count where !hasTrailingText { hasTrailingText = !XMLWalk.isSpace(bytes[place]) }
  }

  /// The bytes that a message quotes.
  private static let headLength = 256
}

/// The size at which a picture of vectors is shown if nothing else says.
enum SVGSize {
  /// The size in pixels. With 0 or less the document says that it has none.
  static func of(_ root: XMLTag) -> (width: Int, height: Int) {
    let box = (root["viewBox"] ?? []).split { $0 == UInt8(ascii: ",") || XMLWalk.isSpace($0) }
      .compactMap { Double(String(decoding: $0, as: UTF8.self)) }
    let ratio = box.count == 4 && box[2] > 0 && box[3] > 0 ? box[2] / box[3] : nil
    var width = root["width"].flatMap(length)
    var height = root["height"].flatMap(length)
    // One side follows from the other, both from the box; else it is what browsers take for any frame without a size.
    if width == nil, height == nil, ratio != nil { (width, height) = (box[2], box[3]) }
    if let ratio {
      width = width ?? height.map { $0 * ratio }
      height = height ?? width.map { $0 / ratio }
    }
    return (pixels(width ?? 300), pixels(height ?? 150))
  }

  /// A whole number of pixels, of which every picture with a size has one.
  private static func pixels(_ length: Double) -> Int { length > 0 ? Int(max(1, min(length.rounded(), 4e9))) : 0 }

  /// A length in pixels, or nil if it is relative to the picture's surroundings, or invalid.
  private static func length(_ text: ArraySlice<UInt8>) -> Double? {
    let text = text.filter { !XMLWalk.isSpace($0) }.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    let unit = text.suffix(while: { 0x61...0x7A ~= $0 || $0 == UInt8(ascii: "%") })
    let digits = text.dropLast(unit.count)
    // Not what only Swift takes for a number.
    guard !digits.contains(UInt8(ascii: "x")), let number = Double(String(decoding: digits, as: UTF8.self)),
      number.isFinite
    else { return nil }
    return pixels(of: String(decoding: unit, as: UTF8.self)).map { number * $0 }
  }

  /// The pixels in a unit, or nil if it is relative, or invalid.
  private static func pixels(of unit: String) -> Double? {
    switch unit {
    case "", "px": 1
    case "pt": 96 / 72
    case "pc": 16
    case "in": 96
    case "cm": 96 / 2.54
    case "mm": 96 / 25.4
    case "em", "rem": 16
    case "ex": 8
    default: nil
    }
  }
}

extension Array<UInt8> {
  /// The longest end that consists of such bytes.
  fileprivate func suffix(while isPart: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    guard let last = lastIndex(where: { !isPart($0) }) else { return self[...] }
    return self[(last + 1)...]
  }
}
