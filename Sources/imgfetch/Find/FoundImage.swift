import ImgfetchCore
import ImgfetchPages

/// One image that a source names: its URL, and the facts and texts that the source has of it.
struct FoundImage: Sendable {
  let url: WebURL
  let kind: PageImage.Kind
  var alt: String?
  var title: String?
  /// The text of the figure or of the entry that it belongs to.
  var context: String?
  var width: Int?
  var height: Int?
  /// The page or the file that names it, without secrets.
  let page: String
  /// The value of the Referer field, or nil to send none.
  var referer: String?
  /// The source's name for it, made safe.
  var stem: String?
  /// Another URL of the same pixels, for servers that do not know the first.
  var fallback: WebURL?
  /// True for a page at a public address: what it names is followed like a redirect of it.
  var isNamedByPublicPage = false

  /// True if the source calls ``context`` the caption of the image.
  var hasOwnCaption = false

  /// The URL as lists have it: an object's in a bucket as it was given, since only requests to such URLs are signed.
  private var address: String { S3Account.isAddress(url.display) ? url.display : url.requestURL }

  /// A description of the image: what the source calls so, the text in its place, its title, or that of what is around
  /// it.
  var caption: String? { hasOwnCaption ? context : alt ?? title ?? context }
}

extension FoundImage {
  func append(as format: FoundFormat, to buffer: inout [UInt8]) {
    switch format {
    case .lines(let isInternal): appendLine(isInternal, to: &buffer)
    case .table: appendRecord(to: &buffer)
    case .json: appendObject(to: &buffer)
    }
  }

  private func appendLine(_ isInternal: Bool, to buffer: inout [UInt8]) {
    buffer.append(text: address)
    if let stem { Self.append(field: "\tstem=", stem, to: &buffer) }
    if let fallback { Self.append(field: "\tmirror=", fallback.requestURL, to: &buffer) }
    if let referer { Self.append(field: "\treferer=", referer, to: &buffer) }
    if isInternal, isNamedByPublicPage { buffer.append(text: "\treach=public") }
    buffer.append(UInt8(ascii: "\n"))
  }

  private static func append(field name: String, _ value: String, to buffer: inout [UInt8]) {
    buffer.append(text: name)
    buffer.append(text: value)
  }

  private func appendRecord(to buffer: inout [UInt8]) {
    let cells = [
      address, caption, kind.rawValue, alt, title, width.map(String.init), height.map(String.init), page,
      referer,
      stem,
    ]
    for (at, cell) in cells.enumerated() {
      if at > 0 { buffer.append(UInt8(ascii: "\t")) }
      Self.append(cell: cell ?? "", to: &buffer)
    }
    buffer.append(UInt8(ascii: "\n"))
  }

  /// Appends a field of a table: in quotation marks where it has some, and with a space for what would end it.
  private static func append(cell: String, to buffer: inout [UInt8]) {
    let isQuoted = cell.utf8.contains(UInt8(ascii: "\""))
    if isQuoted { buffer.append(UInt8(ascii: "\"")) }
    for byte in cell.utf8 {
      if byte == UInt8(ascii: "\"") { buffer.append(byte) }
      buffer.append(byte < 0x20 || byte == 0x7F ? UInt8(ascii: " ") : byte)
    }
    if isQuoted { buffer.append(UInt8(ascii: "\"")) }
  }

  private func appendObject(to buffer: inout [UInt8]) {
    ObjectWriter.appendLine(to: &buffer) { object in
      object.text("url", address)
      object.text("kind", kind.rawValue)
      object.text("alt", alt)
      object.text("title", title)
      object.text("caption", caption)
      object.number("width", width)
      object.number("height", height)
      object.text("page", page)
      object.text("referer", referer)
      object.text("stem", stem)
    }
  }
}
