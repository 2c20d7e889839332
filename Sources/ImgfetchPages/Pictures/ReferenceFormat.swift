/// The format of a picture, as far as its address or a media type tells it. Only the bytes decide what an image is;
/// this tells a link to a picture from one to a page, and one candidate from another.
struct ReferenceFormat: Equatable {
  private let name: String

  /// Creates the format of the media type that the source names, else that of the address's extension.
  init?(_ candidate: PageImage.Candidate) {
    if let type = candidate.type, let format = ReferenceFormat(mediaType: type[...]) {
      self = format
    } else if let format = ReferenceFormat(reference: candidate.reference[...]) {
      self = format
    } else {
      return nil
    }
  }

  init?(mediaType: ArraySlice<UInt8>) {
    let type = mediaType.prefix { $0 != UInt8(ascii: ";") }.map(TextBytes.lowered)
    guard let name = Self.mediaTypes[String(decoding: type, as: UTF8.self)] else { return nil }
    self.name = name
  }

  /// Creates the format of a path's extension, or nil if it is not an image's.
  init?(reference: ArraySlice<UInt8>) {
    let path = reference.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let last = path[((path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex - 1) + 1)...]
    guard let dot = last.suffix(6).lastIndex(of: UInt8(ascii: ".")),
      let name = Self.extensions[Self.number(of: last[(dot + 1)...])],
      !Self.isPage(last, in: path[..<last.startIndex])
    else { return nil }
    self.name = name
  }

  /// True for the page that a wiki has about a picture: `/wiki/File:cat.jpg` of a MediaWiki, whatever word its language
  /// has for a file, and `/_detail/cat.jpg` of a DokuWiki.
  private static func isPage(_ name: ArraySlice<UInt8>, in folder: ArraySlice<UInt8>) -> Bool {
    func isIn(_ end: String) -> Bool { folder.suffix(end.utf8.count).elementsEqual(end.utf8) }
    // A page has thousands of addresses, and most of them are told by the letter before the slash.
    switch folder.dropLast().last {
    case UInt8(ascii: "i"): return isIn("/wiki/") && name.dropFirst().contains(UInt8(ascii: ":"))
    case UInt8(ascii: "p"): return isIn("/index.php/") && name.dropFirst().contains(UInt8(ascii: ":"))
    case UInt8(ascii: "l"): return isIn("/_detail/")
    default: return false
    }
  }

  /// An extension as a number: a page has thousands of addresses, and a string costs ten times as much.
  private static func number(of ending: some Sequence<UInt8>) -> UInt64 {
    ending.reduce(0) { $0 << 8 | UInt64(TextBytes.lowered($1)) }
  }

  private static let extensions = Dictionary(
    uniqueKeysWithValues: formatsOfExtensions.map { (number(of: $0.key.utf8), $0.value) })

  private static let formatsOfExtensions = [
    "jpg": "jpeg", "jpeg": "jpeg", "jpe": "jpeg", "jfif": "jpeg", "png": "png", "apng": "png", "gif": "gif",
    "webp": "webp", "avif": "avif", "avifs": "avif", "heic": "heic", "heif": "heic", "hif": "heic", "jxl": "jxl",
    "tif": "tiff", "tiff": "tiff", "svg": "svg", "svgz": "svg", "bmp": "bmp", "dib": "bmp", "ico": "ico",
  ]

  private static let mediaTypes = [
    "image/jpeg": "jpeg", "image/jpg": "jpeg", "image/pjpeg": "jpeg", "image/png": "png", "image/apng": "png",
    "image/gif": "gif", "image/webp": "webp", "image/avif": "avif", "image/heic": "heic", "image/heif": "heic",
    "image/jxl": "jxl", "image/tiff": "tiff", "image/svg+xml": "svg", "image/bmp": "bmp", "image/x-icon": "ico",
    "image/vnd.microsoft.icon": "ico",
  ]
}
