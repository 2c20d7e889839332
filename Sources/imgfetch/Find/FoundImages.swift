import ImgfetchCore
import ImgfetchPages

/// Makes images of what sources name: resolves their addresses, chooses among candidates, and leaves out what is not
/// wanted or was there before. A pure value.
struct FoundImages {
  /// The numbers of images that were left out.
  struct Omissions: Hashable {
    /// Images that stand in the page itself.
    var embedded = 0
    /// Images whose address is relative to nothing that is known.
    var relative = 0
    /// Images at addresses that a public page may not lead to.
    var unreachable = 0
    /// Images whose addresses would be too long together with those before them.
    var excessive = 0
    /// Images of other kinds or hosts than those wanted.
    var unwanted = 0
  }

  private let kinds: Set<PageImage.Kind>
  private let listsAllSizes: Bool
  private let givenBase: WebURL?
  private let isSameHost: Bool
  private let hosts: HostRule?
  private let keyFilter: KeyFilter
  private let setsReferer: Bool
  private let urls: URLReader
  /// The keys of the images that were there, as the cache names them.
  private var seen = FoundKeys()
  private var page = PageAddress(name: "", url: nil)
  /// The origin of the page as the referrer that other origins are told.
  private var refererOfOthers = ""
  private var base: WebURL?
  /// The bases of the parts of the page that are open around the current one.
  private var outerBases: [WebURL?] = []
  /// The open parts within so many others that their bases do not count.
  private var deepBases = 0
  private static let mostBases = 64
  /// The bytes that the addresses of the page may still have together.
  private var room: Int64 = 0
  private let mostBytes: Int64

  /// The bytes of addresses for each byte of the longest page. A base of 64 KB before a million short references
  /// would make a page of 16 MB one of many gigabytes.
  private static let mostForEach: Int64 = 32

  /// The images that were left out since the last page of a source began.
  private(set) var omissions = Omissions()
  /// The images that were found, those that were there before too.
  private(set) var count = 0

  /// Stands for the unknown host of a page that is a file.
  private static let nowhere = try? WebURL("https://nowhere.invalid/")

  init(_ settings: Settings) {
    kinds = Set(settings.find.kinds)
    mostBytes = min(settings.find.maximumPage, .max / Self.mostForEach) * Self.mostForEach
    listsAllSizes = settings.find.listsAllSizes
    givenBase = settings.find.base
    isSameHost = settings.find.isSameHost
    hosts = HostRule(settings.fetch)
    keyFilter = settings.fetch.keyFilter
    urls = settings.list.urls
    // A referrer that the user gives is sent to all.
    setsReferer = !settings.fetch.headers.contains { $0.name.lowercased() == "referer" }
  }

  /// Begins a source, with all pages that it leads to.
  mutating func beginSource() { (omissions, count) = (Omissions(), 0) }

  mutating func begin(_ page: PageAddress) {
    self.page = page
    refererOfOthers = page.referrer.map { "\($0.origin)/" } ?? ""
    room = mostBytes
    base = page.url ?? givenBase
    if let givenBase { base = givenBase }
    (outerBases, deepBases) = ([], 0)
  }

  /// The URL of the page that references are relative to, which a base of the page's own is relative to itself.
  private var document: WebURL? { givenBase ?? page.url }

  mutating func setBase(_ reference: [UInt8]) {
    guard !reference.isEmpty, takeRoom(reference, from: document) else { return base = document }
    base =
      (try? (document ?? Self.nowhere)?.resolving(link: reference.span)).flatMap { isNowhere($0) ? nil : $0 }
      ?? document
  }

  /// Begins a part of the page whose base is relative to the current one.
  mutating func beginBase(_ reference: [UInt8]) {
    guard outerBases.count < Self.mostBases else { return deepBases += 1 }
    outerBases.append(base)
    guard takeRoom(reference, from: base) else { return }
    if let inner = try? (base ?? Self.nowhere)?.resolving(link: reference.span), !isNowhere(inner) { base = inner }
  }

  mutating func endBase() {
    if deepBases > 0 { return deepBases -= 1 }
    if let outer = outerBases.popLast() { base = outer }
  }

  /// Returns the images of one picture: the largest candidate, or all of them.
  mutating func take(_ picture: consuming PageImage) -> [FoundImage] {
    guard kinds.contains(picture.kind) else {
      omissions.unwanted += 1
      return []
    }
    if picture.candidates.contains(where: { Self.isEmbedded($0.reference) }) {
      picture.candidates.removeAll { Self.isEmbedded($0.reference) }
    }
    if picture.candidates.isEmpty {
      omissions.embedded += 1
      return []
    }
    // Scripts put addresses of other schemes beside one that can be asked for.
    if picture.candidates.count > 1, picture.candidates.contains(where: { Self.hasOtherScheme($0.reference) }) {
      picture.candidates.removeAll { Self.hasOtherScheme($0.reference) }
    }
    if listsAllSizes { return picture.candidates.compactMap { image(picture, $0) } }
    guard let image = picture.largest.flatMap({ image(picture, $0) }) else { return [] }
    return [image]
  }

  /// Returns the image that a source is itself.
  mutating func take(itself url: WebURL) -> [FoundImage] {
    count += 1
    guard isNew(url) else { return [] }
    return [FoundImage(url: url, kind: .image, page: url.display)]
  }

  private static func isEmbedded(_ reference: [UInt8]) -> Bool {
    guard let start = reference.firstIndex(where: { $0 > 0x20 }), reference[start] | 0x20 == UInt8(ascii: "d") else {
      return false
    }
    return reference[start...].prefix(5).lazy.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }.elementsEqual("data:".utf8)
  }

  /// True for an address that no server is asked for, as its scheme tells: `blob:`, `about:blank`, `javascript:`.
  private static func hasOtherScheme(_ reference: [UInt8]) -> Bool {
    let start = reference.firstIndex { $0 > 0x20 } ?? reference.endIndex
    let beginning = reference[start...].prefix(longestScheme + 1)
    guard let colon = beginning.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = beginning[..<colon].lazy.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    if ["https", "http", "s3"].contains(where: { scheme.elementsEqual($0.utf8) }) { return false }
    guard let first = scheme.first, isLetter(first) else { return false }
    return scheme.allSatisfy { isLetter($0) || 0x30...0x39 ~= $0 || "+-.".utf8.contains($0) }
  }

  private static func isLetter(_ lowered: UInt8) -> Bool { 0x61...0x7A ~= lowered }

  /// Schemes of browsers' extensions have some twenty letters.
  private static let longestScheme = 32

  private mutating func image(_ picture: PageImage, _ candidate: PageImage.Candidate) -> FoundImage? {
    guard let url = url(candidate.reference) else { return nil }
    guard isWanted(url) else {
      omissions.unwanted += 1
      return nil
    }
    guard isReachable(url) else {
      omissions.unreachable += 1
      return nil
    }
    // An address that waits for a script to complete it often leads back to the page.
    if let itself = page.url, itself.canonical == url.canonical { return nil }
    count += 1
    guard isNew(url) else { return nil }
    var image = FoundImage(url: url, kind: picture.kind, page: page.name)
    (image.alt, image.title, image.context) = (
      Self.text(picture.alt), Self.text(picture.title), Self.text(picture.caption)
    )
    image.hasOwnCaption = picture.hasOwnCaption
    let isOfPicture = candidate.width == nil || candidate.width == picture.width
    image.width = candidate.width ?? picture.width
    image.height = isOfPicture ? picture.height : nil
    image.referer = setsReferer ? page.referrer.flatMap { referer(of: $0, for: url) } : nil
    image.stem = picture.label.flatMap(Self.stem)
    image.fallback = candidate.fallback.flatMap { self.url($0) }
    image.isNamedByPublicPage = page.isPublic
    return image
  }

  /// Resolves an address in the page; nil means that nothing can be asked for by it.
  private mutating func url(_ reference: [UInt8]) -> WebURL? {
    guard let start = base ?? Self.nowhere else { return nil }
    guard takeRoom(reference, from: start) else {
      omissions.excessive += 1
      return nil
    }
    if page.isOwn, let object = object(at: reference) { return object }
    guard let url = try? start.resolving(link: reference.span) else { return nil }
    guard !isNowhere(url) else {
      omissions.relative += 1
      return nil
    }
    return url
  }

  /// The object of a bucket that a file of the user's own names. Others do not decide what the user's account asks for.
  private func object(at reference: [UInt8]) -> WebURL? {
    // Asked for each image of a file.
    guard let first = reference.first, first | 0x20 == UInt8(ascii: "s") else { return nil }
    let text = String(decoding: reference, as: UTF8.self)
    guard S3Account.isAddress(text) else { return nil }
    // Without an account the request fails, which tells why there is none.
    return (try? urls.url(text)) ?? (try? S3Account(keys: nil).url(text))
  }

  /// Makes room for an address, as long as it can be. Returns false where there is none left.
  private mutating func takeRoom(_ reference: [UInt8], from start: WebURL?) -> Bool {
    let wanted = Int64(reference.count + (start?.requestURL.utf8.count ?? 0))
    guard wanted <= room else { return false }
    room -= wanted
    return true
  }

  private mutating func isNew(_ url: WebURL) -> Bool { seen.insert(ContentHash(of: keyFilter.key(for: url))) }

  private func isNowhere(_ url: WebURL) -> Bool { base == nil && url.host == Self.nowhere?.host }

  /// Resolves the address of another source that the page leads to.
  func source(_ reference: [UInt8]) -> WebURL? {
    guard let base, let url = try? base.resolving(link: reference.span), isReachable(url) else { return nil }
    return url
  }

  private func isWanted(_ url: WebURL) -> Bool {
    if isSameHost, let host = (page.url ?? givenBase)?.host, host != url.host { return false }
    return hosts?.objection(to: url.origin) == nil
  }

  /// False for a host that a public page may not lead to, as far as its spelling tells. Names are judged when they are
  /// looked up.
  private func isReachable(_ url: WebURL) -> Bool {
    guard page.isPublic else { return true }
    if let address = url.address { return AddressClass.isGloballyReachable(address) }
    var host = url.host
    if host.hasSuffix(".") { host.removeLast() }
    return host != "localhost" && !host.hasSuffix(".localhost")
  }

  /// Returns what browsers send by default (`strict-origin-when-cross-origin`): the page to its own origin, its origin
  /// to others, and nothing from https to http.
  private func referer(of page: WebURL, for url: WebURL) -> String? {
    if page.isSecure, !url.isSecure { return nil }
    return page.origin == url.origin ? page.requestURL : refererOfOthers
  }

  private static func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  /// Returns a label as a name without an extension, made safe like a name from a URL; nil means that nothing is left
  /// of it.
  private static func stem(_ label: [UInt8]) -> String? {
    let text = Stem.shortened(String(decoding: label, as: UTF8.self))
    let name = SafeName.component(Stem.split(SafeName.component(text)).stem)
    return name.isEmpty ? nil : name
  }
}
