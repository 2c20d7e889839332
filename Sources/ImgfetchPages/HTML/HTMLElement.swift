/// The elements whose names have a meaning for pictures, or for where a tag stands.
///
/// A page has tens of thousands of tags, and each is asked for in several places: names are compared once, as numbers.
enum HTMLElement: String, CaseIterable, Sendable {
  // The frame of a page.
  case html, head, body, title, base, link, meta, style, script, noscript, template, main, div
  // Pictures, and what leads to them.
  case img, image, picture, source, input, video, object, embed, a, area, figure, figcaption
  case ampImage = "amp-img"
  case ampAnimation = "amp-anim"
  case ampVideo = "amp-video"
  case table, thead, tbody, tfoot, tr, td, th
  // Content that is not markup.
  case textarea, xmp, iframe, noembed, noframes, plaintext
  // SVG and MathML, and what leads from there to HTML.
  case svg, math, desc, mi, mo, mn, ms, mtext
  case feImage = "feimage"
  case foreignObject = "foreignobject"
  case annotation = "annotation-xml"
  // The other elements that cannot be inside SVG and MathML.
  case b, big, blockquote, br, center, code, dd, dl, dt, em, h1, h2, h3, h4, h5, h6, hr, i, li, listing, menu, nobr
  case ol, p, pre, ruby, s, small, span, strike, strong, sub, sup, tt, u, ul
  case variable = "var"

  /// - Parameter name: The name of a tag, in lower case.
  /// - Returns: Nil for any other element.
  init?(_ name: ArraySlice<UInt8>) {
    guard let number = Self.number(name.span) else { return nil }
    var slot = Self.slot(number)
    while let entry = Self.slots[slot] {
      if entry.number == number {
        self = entry.element
        return
      }
      slot = Self.slot(after: slot)
    }
    return nil
  }

  /// A table with four slots for each element. The first free slot ends a search.
  private static let slots: [(number: UInt128, element: Self)?] = {
    var slots: [(number: UInt128, element: Self)?] = Array(repeating: nil, count: slotCount)
    for element in allCases {
      guard let number = number(element.rawValue.utf8Span.span) else { continue }
      var slot = slot(number)
      while slots[slot] != nil { slot = Self.slot(after: slot) }
      slots[slot] = (number, element)
    }
    return slots
  }()
  private static let slotCount = 512

  /// The usual slot of a number: its bits are mixed by a factor without a pattern (from the golden ratio).
  private static func slot(_ number: UInt128) -> Int {
    let bits = UInt64(truncatingIfNeeded: number) ^ UInt64(truncatingIfNeeded: number >> 64)
    return Int((bits &* 0x9E37_79B9_7F4A_7C15) >> 32) % slotCount
  }

  private static func slot(after slot: Int) -> Int { (slot + 1) % slotCount }

  /// The bytes of a name as one number, which is compared at once; nil for a longer name than any of these.
  private static func number(_ name: Span<UInt8>) -> UInt128? {
    guard name.count <= 16 else { return nil }
    var number: UInt128 = 0
    for index in name.indices { number = number << 8 | UInt128(name[index]) }
    return number
  }
}

extension HTMLElement {
  /// The content of the element, which decides how it is read.
  var content: HTMLContent {
    switch self {
    case .title, .textarea: .rcdata
    case .style, .xmp, .iframe, .noembed, .noframes: .rawText
    case .script: .script
    case .plaintext: .plainText
    default: .data
    }
  }

  /// True for an element that frames a page, and is no content of its own.
  var isFrame: Bool {
    switch self {
    case .html, .head, .meta, .link, .title, .base, .style, .body, .div, .noscript, .main, .template: true
    default: false
    }
  }

  /// True for an element that cannot be inside SVG and MathML, as the standard says.
  var breaksOut: Bool {
    switch self {
    case .b, .big, .blockquote, .body, .br, .center, .code, .dd, .div, .dl, .dt, .em, .embed, .h1, .h2, .h3, .h4, .h5,
      .h6, .head, .hr, .i, .img, .li, .listing, .menu, .meta, .nobr, .ol, .p, .pre, .ruby, .s, .small, .span, .strike,
      .strong, .sub, .sup, .table, .tt, .u, .ul, .variable:
      true
    default: false
    }
  }
}
