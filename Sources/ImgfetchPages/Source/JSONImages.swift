import ImgfetchCore

/// Finds the pictures in any JSON text: each string that is the address of a picture, or that is the value of a key for
/// pictures.
///
/// A JSON Feed is such a text. A IIIF manifest has a reader of its own.
package struct JSONImages: Sendable {
  /// An object or array that is open.
  private struct Level: Sendable {
    /// The kind of its pictures, for the value of a key for some.
    let kind: PageImage.Kind?
    /// An address in the object that may be a picture's, until its media type is known.
    var address: [UInt8]?
    /// True if its media type is that of a picture.
    var isOfImage = false
  }

  private var reader = JSONReader()
  private var open: [Level] = []
  private var key: [UInt8]?
  private var found: [PageImage] = []

  private static let pictureKeys: Set<String> = [
    "image", "images", "image_url", "imageurl", "image_urls", "img", "img_url", "imgurl", "img_src", "photo", "photos",
    "photo_url", "picture", "picture_url", "pictures", "thumbnail", "thumbnails", "thumbnail_url", "thumbnailurl",
    "thumb", "thumb_url", "banner_image", "cover", "cover_url", "cover_image", "poster", "poster_url", "original_url",
    "large_url", "urlstofull", "artwork", "artwork_url", "screenshot", "screenshots", "thumb_original_url",
    "thumb_2048_url", "thumb_1024_url", "thumb_256_url",
  ]
  /// The endings of other keys for pictures, such as `primaryImage` and `profile_image_url`. Only what is certainly an
  /// address counts there.
  private static let pictureEndings = [
    "image", "images", "imageurl", "imageurls", "imageuri", "image_url", "image_urls", "image_uri", "photo", "photos",
    "photourl", "photo_url", "picture", "pictures", "pictureurl", "picture_url", "thumbnail", "thumbnails",
    "thumbnailurl", "thumbnail_url",
  ]
  private static let iconKeys: Set<String> = ["icon", "icons", "favicon", "avatar", "avatar_url"]
  private static let addressKeys: Set<String> = [
    "url", "src", "href", "uri", "original", "large", "full", "contenturl", "raw", "link", "download_url",
  ]
  /// The keys under which a picture has its sizes.
  private static let sizeKeys: Set<String> = [
    "default", "desktop", "full", "fullsize", "hd", "high", "huge", "large", "maxres", "medium", "mobile", "original",
    "preview", "raw", "regular", "sizes", "small", "source", "square", "standard", "thumb", "tiny", "xlarge",
  ]

  /// The keys under which pages and entries have their text. It is HTML where it has a tag.
  private static let markupKeys: Set<String> = ["body_html", "content", "content_html", "cooked", "html", "rendered"]
  /// The keys of pages about a file, whose addresses may end like the file's.
  private static let pageKeys: Set<String> = [
    "html", "html_url", "page_url", "pageurl", "permalink", "self", "webpage_url",
  ]
  private static let typeKeys: Set<String> = [
    "mime_type", "mimetype", "mime", "media_type", "mediatype", "content_type", "contenttype", "type",
  ]

  package init() {}

  var fault: String? { reader.fault }

  package mutating func feed(_ bytes: Span<UInt8>) {
    // The reader is taken out, since it calls back into this value.
    var reader = reader
    reader.feed(bytes) { take($0) }
    self.reader = reader
  }

  package mutating func takeFound() -> [PageImage] { exchange(&found, with: []) }

  private mutating func take(_ event: JSONEvent) {
    let named = key.map { String(decoding: $0.map(TextBytes.lowered), as: UTF8.self) }
    let outer = open.last?.kind
    switch event {
    case .key(let name): return key = name
    // An object of addresses, as for the sizes of a photo; a list of them is of pages.
    case .beginObject where named == "urls": open.append(Level(kind: outer ?? .feed))
    case .beginObject, .beginArray: open.append(Level(kind: Self.kind(of: named, in: outer)))
    case .endObject, .endArray: open.removeLast()
    case .string(let text): take(text, named, outer)
    case .literal: break
    }
    key = nil
  }

  /// The kind of the pictures that an object or array holds, by its key, or by what is around it.
  private static func kind(of name: String?, in outer: PageImage.Kind?) -> PageImage.Kind? {
    guard let name else { return outer }
    if pictureKeys.contains(name) { return .feed }
    if iconKeys.contains(name) { return .icon }
    if isSize(name) { return outer }
    return endsLikePicture(name) ? .feed : nil
  }

  private mutating func take(_ text: [UInt8], _ name: String?, _ outer: PageImage.Kind?) {
    if let name {
      if Self.markupKeys.contains(name), text.contains(UInt8(ascii: "<")) {
        return found += HTMLSource.findings(in: text).compactMap(\.imageOfFeed)
      }
      if Self.typeKeys.contains(name) { return takeType(text) }
      if Self.pageKeys.contains(name) { return }
    }
    guard Self.isReference(text), !Self.isOfRepository(text) else { return }
    let text = Self.withPlainAmpersands(text)
    if let name, Self.iconKeys.contains(name) { return found.append(PageImage(.icon, text[...])) }
    let isNamed =
      name.map {
        Self.pictureKeys.contains($0) || outer != nil && (Self.addressKeys.contains($0) || Self.isSize($0))
      } ?? (outer != nil)
    let hasEnding = ReferenceFormat(reference: text[...]) != nil
    let isOfImage = open.last?.isOfImage ?? false
    let isAddress = name.map { Self.addressKeys.contains($0) } ?? false
    if Self.isAddress(text) && (hasEnding || name.map(Self.endsLikePicture) ?? false) || isNamed
      || isOfImage && isAddress
    {
      found.append(PageImage(outer ?? .feed, text[...]))
    } else if isAddress, !open.isEmpty, Self.isAddress(text) {
      open[open.count - 1].address = text
    }
  }

  /// True for what the API of a forge says about a file of a repository, under an address that ends in the file's name.
  private static func isOfRepository(_ text: [UInt8]) -> Bool {
    text.place(of: repositories).map { text.place(of: contents, from: $0) != nil } ?? false
  }

  private static let repositories = Array("/repos/".utf8)
  private static let contents = Array("/contents/".utf8)

  /// An address with its ampersands as they are meant: some servers write them in JSON as in HTML.
  private static func withPlainAmpersands(_ text: [UInt8]) -> [UInt8] {
    var plain: [UInt8] = []
    var start = 0
    while let at = text.place(of: ampersand, from: start) {
      plain += text[start...at]
      start = at + ampersand.count
    }
    return start == 0 ? text : plain + text[start...]
  }

  private static let ampersand = Array("&amp;".utf8)

  private static func endsLikePicture(_ key: String) -> Bool { pictureEndings.contains { key.hasSuffix($0) } }

  /// True for the key of a size: a word for one, or its number (`640`, `2x`).
  private static func isSize(_ key: String) -> Bool {
    sizeKeys.contains(key) || key.utf8.first.map(TextBytes.isDigit) ?? false
  }

  /// Takes a media type, which decides whether the address beside it is a picture's.
  private mutating func takeType(_ text: [UInt8]) {
    // The latter is that of ActivityPub.
    guard !open.isEmpty, text.starts(with: "image/".utf8) || text == Array("Image".utf8) else { return }
    open[open.count - 1].isOfImage = true
    guard let address = open[open.count - 1].address else { return }
    open[open.count - 1].address = nil
    found.append(PageImage(.feed, address[...]))
  }

  /// True if the text can be an address: one word, and not the picture itself.
  private static func isReference(_ text: [UInt8]) -> Bool {
    !text.isEmpty && (text.count < 8_192 || text.starts(with: "data:image/".utf8))
      && !text.contains { $0 <= 0x20 || $0 == UInt8(ascii: "<") }
      && (text.contains(UInt8(ascii: "/")) || text.contains(UInt8(ascii: ".")))
  }

  /// True if the text is certainly an address, which a file's name alone is not.
  private static func isAddress(_ text: [UInt8]) -> Bool {
    text.starts(with: "http://".utf8) || text.starts(with: "https://".utf8) || text.first == UInt8(ascii: "/")
      || text.starts(with: "./".utf8) || text.starts(with: "../".utf8)
  }
}
