/// Finds the pictures of a page in its tags: those that a browser would load without running scripts, those that
/// scripts of the usual kind would load later, and those that the page links to or names as its picture.
///
/// No tree is built. Only the elements around a tag that change its meaning are remembered.
package struct HTMLImages: HTMLTokenSink, Sendable {
  /// The element whose text is being collected.
  enum TextOf: Sendable, Equatable {
    case nothing, style, linkedData, caption
  }

  private let isXML: Bool
  /// The images that were found since they were last taken.
  var found: [SourceFinding] = []
  var textOf = TextOf.nothing
  var css = CSSImages()
  var linkedData = LinkedData()
  /// The pictures of the open figure, which wait for its caption.
  var figure: [PageImage]?
  var caption: [UInt8] = []
  private var bytesInFigure = 0
  /// The candidates of the open `picture`.
  var picture: [PageImage.Candidate]?
  /// The address of the last preview, after its scheme.
  var preview: [UInt8] = []
  /// The place of that preview among ``found``; nil if it has been taken, or can have no other form.
  private var openPreview: Int?
  /// The place of the open link among ``found``; nil if it has been taken, or stands in a figure.
  private var openLink: Int?
  /// The number of open templates, whose contents are not shown.
  private var templates = 0
  var isInTemplate: Bool { templates > 0 }
  private var hasBase = false
  private var scripts = 0
  /// The number of elements with content that a reader sees.
  private var contents = 0
  /// The open elements that change between HTML and SVG or MathML.
  private var foreign: [ForeignElement] = []

  /// An element that changes between HTML and SVG or MathML.
  private enum ForeignElement: Sendable {
    case svg, math
    /// An element of SVG or MathML whose content is HTML.
    case foreignObject, description, title, annotation, mathText

    var isHTML: Bool { self != .svg && self != .math }

    init?(_ element: HTMLElement, inside outer: ForeignElement?) {
      switch (element, outer) {
      case (.svg, _): self = .svg
      case (.math, _): self = .math
      case (.foreignObject, .svg?), (.foreignObject, .foreignObject?): self = .foreignObject
      case (.desc, .svg?), (.desc, .description?): self = .description
      case (.title, .svg?), (.title, .title?): self = .title
      case (.annotation, .math?), (.annotation, .annotation?): self = .annotation
      case (.mi, .math?), (.mo, .math?), (.mn, .math?), (.ms, .math?), (.mtext, .math?): self = .mathText
      case (.mi, .mathText?), (.mo, .mathText?), (.mn, .mathText?), (.ms, .mathText?), (.mtext, .mathText?):
        self = .mathText
      default: return nil
      }
    }
  }

  private static let mostForeign = 256
  /// The most findings that wait behind a preview whose other form may follow, or behind an open link.
  private static let mostWaiting = 32
  private static let mostInFigure = 64
  private static let mostBytesInFigure = 1 << 18

  /// - Parameter isXML: True for a page that is written as XML.
  package init(isXML: Bool = false) { self.isXML = isXML }

  /// Takes the findings so far. A figure that is still open keeps its pictures back, a preview is kept back as long as
  /// its other form may follow, and a link as long as the picture that it leads to may stand in it.
  package mutating func takeFound() -> [SourceFinding] {
    let open = min(openPreview ?? found.count, openLink ?? found.count)
    guard open < found.count else { return exchange(&found, with: []) }
    let taken = Array(found[..<open])
    found.removeFirst(open)
    openPreview = openPreview.map { $0 - open }
    openLink = openLink.map { $0 - open }
    return taken
  }

  /// Ends the page.
  package mutating func finish() {
    endText()
    endFigure()
    (openPreview, openLink) = (nil, nil)
  }

  /// True if the page consists almost only of scripts.
  package var isFilledByScripts: Bool { scripts > 0 && contents <= Self.mostBesideScripts }

  /// The number of elements in a page that only says to switch scripts on.
  private static let mostBesideScripts = 8

  /// - Parameter isPreview: True for a preview that another form may follow, with other facts of it between them.
  mutating func keep(_ image: consuming PageImage, isPreview: Bool = false) {
    guard !isInTemplate else { return }
    let isLink = image.kind == .link
    // The form that may follow is this one's, also where this one is none.
    if isPreview { openPreview = nil }
    if image.candidates.contains(where: { isPlaceholder($0.reference) }) {
      image.candidates.removeAll { isPlaceholder($0.reference) }
    }
    guard !image.candidates.isEmpty else { return }
    // All images of a figure wait, so that the order stays.
    if figure != nil {
      bytesInFigure += image.candidates.reduce(0) { $0 + $1.reference.count }
      figure?.append(image)
      if figure?.count == Self.mostInFigure || bytesInFigure > Self.mostBytesInFigure { endFigure() }
    } else {
      if isPreview { openPreview = found.count }
      if isLink { openLink = found.count }
      found.append(.image(image))
    }
  }

  /// True for what stands where a script has yet to put an address: nothing, `#`, a place in the page, or the text of a
  /// template. Where the page has a base, `#a` is a place at that address, which browsers request.
  private func isPlaceholder(_ reference: [UInt8]) -> Bool {
    guard reference.first == UInt8(ascii: "#") else { return reference.isEmpty || TemplateText.isIn(reference) }
    return !hasBase || reference.count == 1
  }

  /// Gives the last preview its other form, unless it has been taken.
  mutating func replacePreview(_ candidate: PageImage.Candidate) {
    guard let openPreview, case .image(var image) = found[openPreview] else { return }
    image.candidates = [candidate]
    found[openPreview] = .image(image)
  }

  /// Gives a link the description of the picture that it shows and leads to. Only one of the two becomes a finding.
  mutating func describeLink(by image: borrowing PageImage) {
    guard openLink != nil || figure != nil, let address = image.largest?.reference else { return }
    if let openLink, case .image(var link) = found[openLink], link.leads(to: address) {
      link.show(image)
      found[openLink] = .image(link)
    } else if let at = figure?.lastIndex(where: { $0.leads(to: address) }) {
      figure?[at].show(image)
    }
  }

  mutating func endFigure() {
    let caption = caption.isEmpty ? nil : caption
    for var image in figure ?? [] {
      if image.kind == .image || image.isShownHere { image.caption = caption }
      found.append(.image(image))
    }
    figure = nil
    bytesInFigure = 0
    self.caption = []
  }

  // MARK: Tokens

  package var wantsText: Bool { textOf != .nothing }

  package var hasSections: Bool { isXML || isInForeignContent }

  private var isInForeignContent: Bool { foreign.last.map { !$0.isHTML } ?? false }

  package mutating func comment(_ bytes: Span<UInt8>) {}

  package mutating func doctype(_ doctype: HTMLDoctype) {}

  package mutating func text(_ bytes: Span<UInt8>) {
    switch textOf {
    case .style:
      css.feed(bytes)
      for image in css.takeFound() { keep(image) }
    case .linkedData:
      linkedData.feed(bytes)
      for image in linkedData.takeFound() { keep(image) }
    case .caption: for index in bytes.indices { addToCaption(bytes[index]) }
    case .nothing: break
    }
  }

  package mutating func startTag(_ tag: borrowing HTMLTag) -> HTMLContent {
    let element = HTMLElement(tag.name)
    if textOf == .style || textOf == .linkedData { endText() }
    if isInForeignContent, element?.breaksOut ?? false { leaveForeign() }
    if element != .meta || found.count > Self.mostWaiting { openPreview = nil }
    if element == .a || found.count > Self.mostWaiting { openLink = nil }
    takeStyle(of: tag)
    if isInForeignContent {
      if let element { takeForeign(tag, element) }
      enterForeign(element, tag)
      return .data
    }
    // A page has thousands of elements, and the first few are enough.
    if element == .script {
      scripts += 1
    } else if contents <= Self.mostBesideScripts, !(element?.isFrame ?? false) {
      contents += 1
    }
    if let element { take(tag, element) }
    if tag.hasData { takeLazyBackground(of: tag, element) }
    enterForeign(element, tag)
    guard isXML, tag.isSelfClosing else { return element?.content ?? .data }
    end(element)
    return .data
  }

  package mutating func endTag(_ tag: borrowing HTMLTag) {
    guard let element = HTMLElement(tag.name) else { return }
    end(element)
    guard !foreign.isEmpty, let inner = ForeignElement(element, inside: foreign.last) else { return }
    if let at = foreign.lastIndex(where: { $0 == inner }) { foreign.removeSubrange(at...) }
  }

  private mutating func end(_ element: HTMLElement?) {
    switch element {
    case .style, .script: endText()
    case .a: openLink = nil
    case .figcaption: if textOf == .caption { textOf = .nothing }
    case .figure:
      if textOf == .caption { textOf = .nothing }
      endFigure()
    case .picture: picture = nil
    case .template: templates = max(0, templates - 1)
    default: break
    }
  }

  // MARK: Texts

  /// Ends the text of a style sheet or of linked data.
  private mutating func endText() {
    switch textOf {
    case .style:
      css.finish()
      for image in css.takeFound() { keep(image) }
      css = CSSImages()
    case .linkedData:
      linkedData.finish()
      for image in linkedData.takeFound() { keep(image) }
      linkedData = LinkedData()
    case .caption, .nothing: return
    }
    textOf = .nothing
  }

  /// Adds to the caption, with one space for each run of white space.
  private mutating func addToCaption(_ byte: UInt8) {
    guard caption.count < TextBytes.longestCaption else { return }
    if !TextBytes.isSpace(byte) {
      caption.append(byte)
    } else if caption.last.map({ $0 != UInt8(ascii: " ") }) ?? false {
      caption.append(UInt8(ascii: " "))
    }
  }

  mutating func beginText(_ text: TextOf) { textOf = text }

  // MARK: SVG and MathML

  private mutating func enterForeign(_ element: HTMLElement?, _ tag: borrowing HTMLTag) {
    guard let element, !tag.isSelfClosing, foreign.count < Self.mostForeign,
      let inner = ForeignElement(element, inside: foreign.last)
    else { return }
    foreign.append(inner)
  }

  private mutating func leaveForeign() {
    while isInForeignContent { foreign.removeLast() }
  }

  /// Enters a template. A template that is shown hides nothing. Within a hidden one it counts, so that its end tag does
  /// not end the outer one.
  mutating func enterTemplate(isShown: Bool) { if templates > 0 || !isShown { templates += 1 } }

  mutating func setBase(_ reference: ArraySlice<UInt8>) {
    guard !hasBase, templates == 0 else { return }
    hasBase = true
    // The waiting images are relative to the former base.
    if figure != nil {
      endFigure()
      figure = []
    }
    openLink = nil
    found.append(.base(Array(reference)))
  }
}
