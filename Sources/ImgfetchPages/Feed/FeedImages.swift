import ImgfetchCore

/// Finds the pictures of a feed (RSS, Atom, with the media extension), a site map or another XML text, while its bytes
/// arrive.
///
/// The elements are known by their names without prefixes: feeds bind any prefix, or none, to the extensions that they
/// use.
package struct FeedImages: SourceParser {
  private var xml = XMLWalk(isForReading: true)
  private var found: [SourceFinding] = []
  private var open: [Element] = []
  /// The picture of the media extension or of a site map whose parts are being read, and the number of open elements
  /// around it.
  private var media: (image: PageImage, depth: Int)?
  /// The reader of the HTML that is written as XML, and the number of open elements around it.
  private var markup: (images: HTMLImages, depth: Int)?
  private var tag = HTMLTag()
  /// The title of the open entry, which describes its pictures.
  private var entryTitle: [UInt8]?
  /// The pictures of the open entry, which wait for its title.
  private var ofEntry: [PageImage]?
  /// The number of open elements that have a base of their own.
  private var bases = 0
  /// The same number when the entry began. Its pictures can wait as long as it is unchanged.
  private var basesOfEntry = 0
  /// The reason why the text cannot be read any further, or nil if it can.
  package private(set) var fault: String?

  /// An element that is open: its name without a prefix, and what of its attributes matters at its end.
  private struct Element: Sendable {
    let name: String
    /// True if it has a base of its own.
    var hasBase = false
    /// True if its text is HTML.
    var isMarkup = false
    /// True if it says that the text which describes something is HTML.
    var isDescribedInMarkup = false
  }

  /// The limit on pictures of an entry that wait for its title.
  private static let mostOfEntry = 256
  /// The limit on pictures in the HTML of one element.
  private static let mostOfText = 2_048

  package init() {}

  package mutating func feed(_ bytes: Span<UInt8>) {
    guard fault == nil else { return }
    var at = 0
    do throws(WalkFault) {
      while let event = try xml.next(bytes, &at) {
        switch event {
        case .tag:
          begin()
          if xml.isEmptyElement { end() }
        case .end: end()
        case .instruction: break
        }
        xml.dropText()
      }
    } catch { fault = "its XML has \(error.reason)" }
  }

  package mutating func finish() {
    if fault == nil, !xml.isComplete { fault = "its XML has no end of its root" }
    endMarkup()
    if ofEntry != nil { while bases > basesOfEntry { endBase() } }
    endEntry()
  }

  package mutating func takeFindings() -> [SourceFinding] { exchange(&found, with: []) }

  // MARK: Elements

  private mutating func begin() {
    let name = String(decoding: xml.tag.localName, as: UTF8.self)
    let prefix = String(decoding: xml.tag.name.dropLast(xml.tag.localName.count).dropLast(), as: UTF8.self)
    var element = Element(name: name)
    let isEntry = name == "item" || name == "entry"
    if isEntry { endEntry() }
    if let base = xml.tag["xml:base"] {
      // The waiting pictures are relative to the base before.
      markup?.images.endFigure()
      keepXHTML()
      releaseEntry()
      element.hasBase = true
      bases += 1
      found.append(.beginBase(Array(base)))
    }
    takeXHTML { images, tag in _ = images.startTag(tag) }
    element.isDescribedInMarkup = xml.tag["type"].map { $0.elementsEqual("html".utf8) } ?? false
    switch name {
    case _ where isEntry: (ofEntry, basesOfEntry) = ([], bases)
    case "enclosure": takeEnclosure(xml.tag["url"])
    case "link": takeLink()
    case "content" where xml.tag["url"] != nil, "group" where prefix == "media": beginMedia(name)
    case "content", "summary", "description", "encoded", "fullitem": takeContent(&element)
    // Some feeds have the whole text as XHTML.
    case "body" where ofEntry != nil && media == nil: element.isMarkup = true
    case "thumbnail": takeThumbnail()
    case "image" where markup == nil: beginImage(prefix)
    // The sizes of a podcast's picture.
    case "images": if let set = xml.tag["srcset"] { keep(PageImage(.feed, Srcset.candidates(set))) }
    default: break
    }
    if element.isMarkup, markup == nil { markup = (HTMLImages(isXML: true), open.count) }
    open.append(element)
  }

  private mutating func endBase() {
    bases -= 1
    found.append(.endBase)
  }

  private mutating func end() {
    guard let element = open.popLast() else { return }
    // The pictures of the element are relative to its own base, too.
    defer { if element.hasBase { endBase() } }
    let text = xml.characterData
    switch element.name {
    case "title": takeTitle(Self.words(text, element))
    case "description", "caption", "text": if media != nil { media?.image.alt = Self.words(text, element) }
    case "loc", "url", "thumbnail_loc", "attachment_url": takeAddress(text, element)
    case "logo" where media == nil: takeReference(text, .feed)
    case "icon" where media == nil: takeReference(text, .icon)
    case "item", "entry": endEntry()
    case _ where markup == nil && Self.pictureNames.contains(element.name): takePicture(text)
    default: break
    }
    if element.isMarkup { takeMarkup(text) }
    endXHTML(element.name)
    if let media, media.depth == open.count { endMedia() }
  }

  private mutating func endEntry() {
    releaseEntry()
    ofEntry = nil
    entryTitle = nil
  }

  /// Reports the waiting pictures of the open entry.
  private mutating func releaseEntry() {
    guard let waiting = ofEntry else { return }
    for image in waiting { found.append(.image(described(image))) }
    ofEntry = []
  }

  /// A picture of an entry, with its title if nothing else describes it.
  private func described(_ image: PageImage) -> PageImage {
    guard image.alt == nil, image.title == nil, image.caption == nil else { return image }
    var image = image
    image.caption = entryTitle
    return image
  }

  private static func words(_ text: [UInt8], _ element: Element) -> [UInt8]? {
    TextBytes.words((element.isDescribedInMarkup ? PlainText.of(text) : text)[...])
  }

  private mutating func takeTitle(_ title: [UInt8]?) {
    if media != nil {
      media?.image.title = title
      media?.image.label = title
    } else if ofEntry != nil, open.last.map({ $0.name == "item" || $0.name == "entry" }) ?? false {
      entryTitle = title
    }
  }

  private mutating func keep(_ image: PageImage) {
    guard image.candidates.contains(where: { !$0.reference.isEmpty }) else { return }
    // A base that begins within an entry would have ended before the waiting pictures are reported.
    guard let count = ofEntry?.count, bases == basesOfEntry else { return found.append(.image(described(image))) }
    ofEntry?.append(image)
    if count + 1 == Self.mostOfEntry { releaseEntry() }
  }

  private mutating func takeReference(_ text: [UInt8], _ kind: PageImage.Kind) {
    let reference = TextBytes.trimmed(text[...])
    if !reference.isEmpty { keep(PageImage(kind, reference)) }
  }

  // MARK: Feeds

  /// True if the tag names a picture: by its type, by its medium, else by the address.
  private func namesImage(_ reference: ArraySlice<UInt8>) -> Bool {
    // Words such as jpg are no types, and this one says nothing.
    if let type = xml.tag["type"], type.contains(UInt8(ascii: "/")),
      !type.elementsEqual("application/octet-stream".utf8)
    {
      return type.starts(with: "image/".utf8)
    }
    if let medium = xml.tag["medium"] { return medium.elementsEqual("image".utf8) }
    return ReferenceFormat(reference: TextBytes.trimmed(reference)) != nil
  }

  private mutating func takeEnclosure(_ reference: ArraySlice<UInt8>?) {
    guard let reference, namesImage(reference) else { return }
    takeReference(Array(reference), .feed)
  }

  /// Takes a link of Atom. The text of a link, as in RSS, is a page.
  private mutating func takeLink() {
    guard let reference = xml.tag["href"], let relation = xml.tag["rel"] else { return }
    let words = String(decoding: relation, as: UTF8.self)
    if words == "enclosure" || words == "preview", namesImage(reference) { takeReference(Array(reference), .feed) }
    if words == "image" { takeReference(Array(reference), .feed) }
  }

  private mutating func takeContent(_ element: inout Element) {
    if let source = xml.tag["src"] {
      if namesImage(source) { takeReference(Array(source), .feed) }
      return
    }
    element.isMarkup = media == nil
  }

  private mutating func takeMarkup(_ text: [UInt8]) {
    guard text.contains(UInt8(ascii: "<")) else { return }
    for image in HTMLSource.findings(in: text).prefix(Self.mostOfText).compactMap(\.imageOfFeed) { keep(image) }
  }

  /// Passes a tag of HTML that is written as XML on, behind the text before it.
  private mutating func takeXHTML(_ pass: (inout HTMLImages, borrowing HTMLTag) -> Void) {
    guard markup != nil else { return }
    tag.take(xml.tag)
    passXHTML(pass)
  }

  /// Ends an element of such HTML, or all of it with the element around it.
  private mutating func endXHTML(_ name: String) {
    guard let depth = markup?.depth else { return }
    tag.takeEnd(of: name)
    passXHTML { $0.endTag($1) }
    if depth == open.count { endMarkup() }
  }

  private mutating func endMarkup() {
    markup?.images.finish()
    keepXHTML()
    markup = nil
  }

  private mutating func passXHTML(_ pass: (inout HTMLImages, borrowing HTMLTag) -> Void) {
    // Taken out while it works, or it would be copied.
    guard var open = markup.take() else { return }
    if open.images.wantsText { open.images.text(xml.characterData.span) }
    pass(&open.images, tag)
    markup = open
    keepXHTML()
  }

  private mutating func keepXHTML() {
    for image in markup?.images.takeFound().compactMap(\.imageOfFeed) ?? [] { keep(image) }
  }

  // MARK: The media extension

  /// Begins a medium, or a group of renditions of one.
  private mutating func beginMedia(_ name: String) {
    if media == nil { media = (PageImage(.feed, []), open.count) }
    guard name == "content", let reference = xml.tag["url"], namesImage(reference) else { return }
    let (candidate, width, height) = (self.candidate(reference), number("width"), number("height"))
    addToMedia(candidate)
    if media?.image.width == nil {
      media?.image.width = width
      media?.image.height = height
    }
  }

  private mutating func addToMedia(_ candidate: PageImage.Candidate) {
    guard let count = media?.image.candidates.count, count < Srcset.mostCandidates else { return }
    media?.image.candidates.append(candidate)
  }

  private func candidate(_ reference: ArraySlice<UInt8>) -> PageImage.Candidate {
    PageImage.Candidate(
      reference: Array(TextBytes.trimmed(reference)), width: number("width"), type: xml.tag["type"].map { Array($0) })
  }

  private func number(_ name: String) -> Int? { xml.tag[name].flatMap { Srcset.whole(TextBytes.trimmed($0)) } }

  /// A thumbnail within a medium is a smaller form of it, or the picture of a film; else it is a picture by itself.
  private mutating func takeThumbnail() {
    guard let reference = xml.tag["url"] else { return }
    let candidate = self.candidate(reference)
    guard media == nil else { return addToMedia(candidate) }
    var image = PageImage(.feed, [candidate])
    image.width = number("width")
    image.height = number("height")
    keep(image)
  }

  private mutating func endMedia() {
    guard let image = media?.image else { return }
    media = nil
    keep(image)
  }

  // MARK: Images and addresses

  /// Begins an `image`: that of a site map or a podcast, or that of a channel, whose address follows.
  private mutating func beginImage(_ prefix: String) {
    if let reference = xml.tag["href"] ?? xml.tag["url"] {
      takeReference(Array(reference), .feed)
    } else if !prefix.isEmpty, media == nil {
      media = (PageImage(.feed, []), open.count)
    }
  }

  /// Elements whose text is the address of a picture: of an entry, or of a product, as shops list them for others.
  private static let pictureNames: Set<String> = [
    "image", "image_link", "additional_image_link", "lifestyle_image_link", "image_url", "imageurl", "imageUrl",
    "imageURL", "img", "imgurl", "imgUrl", "IMGURL", "IMGURL_ALTERNATIVE", "photo", "picture", "thumbnail", "thumb",
  ]

  private mutating func takePicture(_ text: [UInt8]) {
    let reference = TextBytes.trimmed(text[...])
    guard TextImages.address(reference, at: reference.startIndex) != nil,
      !reference.contains(where: TextBytes.isSpace)
    else { return }
    keep(PageImage(.feed, reference))
  }

  private mutating func takeAddress(_ text: [UInt8], _ element: Element) {
    let reference = TextBytes.trimmed(text[...])
    guard !reference.isEmpty, let outer = open.last?.name else { return }
    switch (element.name, outer) {
    case ("loc", "sitemap"): found.append(.source(Array(reference)))
    case ("loc", "image") where media != nil: addToMedia(PageImage.Candidate(reference: Array(reference)))
    case ("thumbnail_loc", _), ("url", "image"): keep(PageImage(.feed, reference))
    // The file of an attachment, as exports of WordPress have it.
    case ("attachment_url", _): if ReferenceFormat(reference: reference) != nil { keep(PageImage(.feed, reference)) }
    case ("loc", _): if ReferenceFormat(reference: reference) != nil { keep(PageImage(.link, reference)) }
    default: break
    }
  }
}
