import ImgfetchCore

/// Reads the attributes in which scripts of the usual kind keep a picture until it is scrolled to, is zoomed, or is
/// shown on a finer screen.
enum LazyAttributes {
  /// The contents of an attribute.
  private enum Use: Sendable {
    /// An address, with its rank among those of one picture.
    case address(rank: Int)
    /// Candidates of a picture.
    case set
    /// The address of a background, or a value of CSS.
    case background
    /// Candidates of a background.
    case backgroundSet
  }

  /// Attributes with an address, the largest picture first.
  private static let addresses = [
    "data-orig-file", "data-full-src", "data-fullsrc", "data-large-src", "data-large_image", "data-zoom-image",
    "data-zoom-src", "data-hi-res-src", "data-high-res-src", "data-hires", "data-pagespeed-high-res-src",
    "data-src-retina", "data-retina", "data-large-file", "data-original", "data-original-src", "data-lazy-src",
    "data-lazysrc", "data-lazyload-src", "data-lazyload", "data-lazy-load", "data-lazy", "data-flickity-lazyload",
    "data-flickity-lazyload-src", "data-pagespeed-lazy-src", "data-wpfc-original-src", "data-ezsrc", "data-opt-src",
    "data-breeze", "data-cfsrc", "data-ll-src", "data-defer-src", "data-actualsrc", "data-img-src", "data-image-src",
    "data-echo", "data-src",
  ]
  /// Names of attributes that hold only addresses. Scripts use other attributes for a switch or a number, too
  /// (`data-lazy="true"`).
  private static let certain: Set<String> = ["data-src", "data-original", "data-lazy-src"]
  /// Attributes with several candidates.
  static let sets = [
    "data-srcset", "data-lazy-srcset", "data-lazyload-srcset", "data-flickity-lazyload-srcset", "data-original-set",
    "data-original-srcset", "data-wpfc-original-srcset", "data-ezsrcset", "data-brsrcset",
  ]
  private static let backgroundAddresses = [
    "data-bg", "data-bg-src", "data-bg-image", "data-bg-url", "data-background", "data-background-image",
    "data-background-src", "data-background-url", "data-lazy-bg", "data-lazy-background",
  ]

  private static let uses: [String: Use] = {
    var uses: [String: Use] = ["data-bgset": .backgroundSet]
    for (rank, name) in addresses.enumerated() { uses[name] = .address(rank: rank) }
    for name in sets { uses[name] = .set }
    for name in backgroundAddresses { uses[name] = .background }
    return uses
  }()
  private static let longestName = 32

  /// Takes each such attribute of a tag, in the order of the page.
  private static func forEach(
    of tag: borrowing HTMLTag, _ take: (_ name: String, _ value: ArraySlice<UInt8>, Use) -> Void
  ) {
    for index in 0..<tag.attributeCount {
      let (name, value) = tag.attribute(index)
      guard name.count <= longestName, name.starts(with: "data-".utf8), !value.isEmpty else { continue }
      let word = String(decoding: name, as: UTF8.self)
      if let use = uses[word] { take(word, value, use) }
    }
  }

  /// The candidates that a picture has in such attributes.
  static func candidates(_ tag: borrowing HTMLTag) -> [PageImage.Candidate] {
    var ofAddresses: [(rank: Int, candidate: PageImage.Candidate)] = []
    var ofSets: [PageImage.Candidate] = []
    forEach(of: tag) { name, value, use in
      switch use {
      case .address(let rank):
        let value = TextBytes.trimmed(value)
        guard !value.isEmpty, certain.contains(name) || isAddress(value) else { return }
        ofAddresses.append((rank, PageImage.Candidate(trimming: value, .lazy)))
      case .set: Srcset.append(value, .lazy, to: &ofSets)
      case .background, .backgroundSet: break
      }
    }
    ofAddresses.sort { $0.rank < $1.rank }
    let candidates = ofAddresses.map(\.candidate)
    guard candidates.contains(where: { $0.reference.place(of: widthField) != nil }) else { return candidates + ofSets }
    let widths = (tag.value(of: "data-widths") ?? []).prefix(longestWidths).split { !TextBytes.isDigit($0) }
    let largest = widths.compactMap { Srcset.whole($0) }.max()
    return candidates.compactMap { filled($0, largest) } + ofSets
  }

  /// An address with the largest of the picture's widths in place of `{width}`, where scripts put one that fits the
  /// window, or nil if no width is known. Other addresses stay as they are.
  private static func filled(_ candidate: PageImage.Candidate, _ width: Int?) -> PageImage.Candidate? {
    guard let field = candidate.reference.place(of: widthField) else { return candidate }
    guard let width else { return nil }
    var candidate = candidate
    candidate.reference.replaceSubrange(field..<field + widthField.count, with: "\(width)".utf8)
    candidate.width = width
    return candidate
  }

  /// A list has some ten widths.
  private static let longestWidths = 1_024
  private static let widthField = Array("{width}".utf8)

  /// The backgrounds that scripts would set later.
  static func backgrounds(_ tag: borrowing HTMLTag) -> [PageImage] {
    var images: [PageImage] = []
    forEach(of: tag) { _, value, use in
      switch use {
      case .background: images += background(TextBytes.trimmed(value))
      case .backgroundSet:
        let candidates = Srcset.candidates(value)
        if !candidates.isEmpty { images.append(PageImage(.style, candidates)) }
      case .address, .set: break
      }
    }
    return images
  }

  private static func background(_ value: ArraySlice<UInt8>) -> [PageImage] {
    var css = CSSImages()
    css.feed(value.span)
    css.finish()
    let found = css.takeFound()
    if !found.isEmpty || !isAddress(value) { return found }
    return [PageImage(.style, [PageImage.Candidate(trimming: value, .own)])]
  }

  /// True for an address, as far as it differs from a word, a colour or a number.
  private static func isAddress(_ value: ArraySlice<UInt8>) -> Bool {
    let isTemplate = value.first == UInt8(ascii: "{") || value.first == UInt8(ascii: "[")
    let hasPath = value.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
    return !isTemplate && (hasPath && !isProportion(value) || ReferenceFormat(reference: value) != nil)
  }

  /// True for the proportions of a picture, such as `16/9`.
  private static func isProportion(_ value: ArraySlice<UInt8>) -> Bool {
    let sides = value.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return sides.count == 2
      && sides.allSatisfy { side in
        let side = TextBytes.trimmed(side)
        return !side.isEmpty && side.allSatisfy { TextBytes.isDigit($0) || $0 == UInt8(ascii: ".") }
      }
  }
}
