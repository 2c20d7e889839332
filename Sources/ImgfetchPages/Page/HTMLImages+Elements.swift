extension HTMLImages {
  mutating func take(_ tag: borrowing HTMLTag, _ element: HTMLElement) {
    switch element {
    case .img, .image, .ampImage, .ampAnimation: takeImage(tag)
    case .source: if picture != nil { takeSource(tag) }
    case .picture: picture = []
    case .input:
      if tag.value(of: "type").map({ Self.equals($0, "image") }) ?? false {
        takeReference(tag.value(of: "src"), .image, tag)
      }
    case .video, .ampVideo: takeReference(Self.given(tag, "poster") ?? Self.given(tag, "data-poster"), .image, tag)
    case .object: takeEmbedded(tag.value(of: "data"), tag)
    case .embed: takeEmbedded(tag.value(of: "src"), tag)
    case .a, .area: takeLink(tag)
    case .meta: takeMeta(tag)
    case .link: takeRelation(tag)
    case .base: if let base = tag.value(of: "href") { setBase(base) }
    case .body, .table, .thead, .tbody, .tfoot, .tr, .td, .th:
      takeReference(tag.value(of: "background"), .style, tag)
    case .figure:
      endFigure()
      figure = []
    case .figcaption: if figure != nil { beginText(.caption) }
    case .style: beginStyle(tag)
    case .script:
      let type = tag.value(of: "type")?.prefix { $0 != UInt8(ascii: ";") }
      if let type, Self.equals(type, "application/ld+json") { beginText(.linkedData) }
    case .template: enterTemplate(isShown: Self.isShadowRoot(tag))
    default: break
    }
  }

  /// Takes an element of SVG.
  mutating func takeForeign(_ tag: borrowing HTMLTag, _ element: HTMLElement) {
    switch element {
    case .image, .feImage: takeReference(tag.value(of: "href") ?? tag.value(of: "xlink:href"), .image, tag)
    case .style: beginStyle(tag)
    default: break
    }
  }

  /// A template that a browser puts in place by itself, without a script.
  private static func isShadowRoot(_ tag: borrowing HTMLTag) -> Bool {
    tag.value(of: "shadowrootmode").map { equals($0, "open") || equals($0, "closed") } ?? false
  }

  // MARK: Pictures

  private mutating func takeImage(_ tag: borrowing HTMLTag) {
    var candidates = picture ?? []
    if tag.hasData { candidates += LazyAttributes.candidates(tag) }
    if let set = tag.value(of: "srcset") {
      candidates.reserveCapacity(candidates.count + 4)
      Srcset.append(set, .own, to: &candidates)
    }
    if let source = tag.value(of: "src"), !TextBytes.trimmed(source).isEmpty {
      candidates.append(Self.candidate(source, candidates.contains { $0.rank == .lazy } ? .placeholder : .own))
    }
    guard !candidates.isEmpty else { return }
    var image = PageImage(.image, candidates)
    describe(&image, tag)
    describeLink(by: image)
    keep(consume image)
    // A second `img` in the same `picture` has no sources.
    if picture != nil { picture = [] }
  }

  private mutating func takeSource(_ tag: borrowing HTMLTag) {
    let type = tag.value(of: "type").map { Array($0) }
    for name in ["srcset"] + LazyAttributes.sets {
      for var candidate in tag.value(of: name).map(Srcset.candidates) ?? [] {
        guard picture.map({ $0.count < Srcset.mostCandidates }) ?? false else { return }
        candidate.type = type
        picture?.append(candidate)
      }
    }
  }

  private mutating func takeEmbedded(_ reference: ArraySlice<UInt8>?, _ tag: borrowing HTMLTag) {
    guard let reference else { return }
    let isImage = tag.value(of: "type").map { ReferenceFormat(mediaType: $0) != nil }
    if isImage ?? (ReferenceFormat(reference: reference) != nil) { takeReference(reference, .image, tag) }
  }

  private mutating func takeReference(
    _ reference: ArraySlice<UInt8>?, _ kind: PageImage.Kind, _ tag: borrowing HTMLTag, isPreview: Bool = false
  ) {
    guard let reference, !TextBytes.trimmed(reference).isEmpty else { return }
    var image = PageImage(kind, [Self.candidate(reference, .own)])
    if kind == .image { describe(&image, tag) }
    keep(consume image, isPreview: isPreview)
  }

  private func describe(_ image: inout PageImage, _ tag: borrowing HTMLTag) {
    image.alt = TextBytes.words(tag.value(of: "alt"))
    image.title = TextBytes.words(tag.value(of: "title"))
    image.width = tag.value(of: "width").flatMap { Srcset.whole(TextBytes.trimmed($0)) }
    image.height = tag.value(of: "height").flatMap { Srcset.whole(TextBytes.trimmed($0)) }
  }

  // MARK: Linked and named pictures

  private mutating func takeLink(_ tag: borrowing HTMLTag) {
    guard let reference = tag.value(of: "href"), ReferenceFormat(reference: TextBytes.trimmed(reference)) != nil else {
      return
    }
    var image = PageImage(.link, [Self.candidate(reference, .own)])
    image.title = TextBytes.words(tag.value(of: "title"))
    keep(image)
  }

  private mutating func takeMeta(_ tag: borrowing HTMLTag) {
    for attribute in ["property", "name", "itemprop"] {
      guard let name = tag.value(of: attribute) else { continue }
      switch String(decoding: TextBytes.trimmed(name).map(TextBytes.lowered), as: UTF8.self) {
      case "og:image", "og:image:url", "og:image:secure_url": return takePreview(tag)
      case "twitter:image", "twitter:image:src", "image", "thumbnailurl", "msapplication-tileimage":
        return takeReference(tag.value(of: "content"), .meta, tag)
      default: continue
      }
    }
  }

  /// Takes a preview. `og:image:secure_url` repeats `og:image` by another scheme: of both, https counts.
  private mutating func takePreview(_ tag: borrowing HTMLTag) {
    guard !isInTemplate, let content = tag.value(of: "content") else { return }
    let address = TextBytes.trimmed(content)
    let scheme = address.firstIndex(of: UInt8(ascii: ":")) ?? address.startIndex
    guard address[scheme...].elementsEqual(preview) else {
      preview = PageImage.Candidate.kept(address[scheme...])
      return takeReference(content, .meta, tag, isPreview: true)
    }
    if Self.equals(address[..<scheme], "https") { replacePreview(Self.candidate(content, .own)) }
  }

  private mutating func takeRelation(_ tag: borrowing HTMLTag) {
    // Microdata, which say so by `link` where the value is an address.
    let property = tag.value(of: "itemprop") ?? []
    if Self.equals(property, "image") || Self.equals(property, "thumbnailurl") {
      return takeReference(tag.value(of: "href"), .meta, tag)
    }
    let words = (tag.value(of: "rel") ?? []).split(whereSeparator: TextBytes.isSpace)
    for word in words {
      switch String(decoding: word.map(TextBytes.lowered), as: UTF8.self) {
      case "image_src", "thumbnail": return takeReference(tag.value(of: "href"), .meta, tag)
      case "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "fluid-icon":
        return takeReference(tag.value(of: "href"), .icon, tag)
      case "preload", "prefetch":
        guard tag.value(of: "as").map({ Self.equals($0, "image") }) ?? false else { continue }
        var candidates = tag.value(of: "imagesrcset").map(Srcset.candidates) ?? []
        if let reference = tag.value(of: "href") { candidates.append(Self.candidate(reference, .own)) }
        if !candidates.isEmpty { keep(PageImage(.image, candidates)) }
        return
      default: continue
      }
    }
  }

  // MARK: Styles

  /// Begins a style sheet, unless the `style` element holds another language, such as a template.
  private mutating func beginStyle(_ tag: borrowing HTMLTag) {
    let type = tag.value(of: "type") ?? []
    if type.isEmpty || Self.equals(type, "text/css") { beginText(.style) }
  }

  mutating func takeStyle(of tag: borrowing HTMLTag) {
    guard let style = tag.value(of: "style") else { return }
    var css = CSSImages()
    css.feed(style.span)
    css.finish()
    for image in css.takeFound() { keep(image) }
  }

  /// Takes the background that a script would set later.
  mutating func takeLazyBackground(of tag: borrowing HTMLTag, _ element: HTMLElement?) {
    for image in LazyAttributes.backgrounds(tag) { keep(image) }
    switch element {
    case .img, .ampImage, .ampAnimation: return
    default: break
    }
    // On other elements `data-src` may be a frame or a film.
    guard let value = tag.value(of: "data-src").map(TextBytes.trimmed) else { return }
    if ReferenceFormat(reference: value) != nil { takeReference(value, .style, tag) }
  }

  // MARK: Values

  private static func candidate(
    _ reference: ArraySlice<UInt8>, _ rank: PageImage.Candidate.Rank
  ) -> PageImage.Candidate {
    PageImage.Candidate(trimming: reference, rank)
  }

  /// The value of an attribute, or nil if it is blank.
  private static func given(_ tag: borrowing HTMLTag, _ name: String) -> ArraySlice<UInt8>? {
    tag.value(of: name).flatMap { TextBytes.trimmed($0).isEmpty ? nil : $0 }
  }

  private static func equals(_ value: ArraySlice<UInt8>, _ text: String) -> Bool {
    text.utf8.elementsEqual(TextBytes.trimmed(value).lazy.map(TextBytes.lowered))
  }
}
