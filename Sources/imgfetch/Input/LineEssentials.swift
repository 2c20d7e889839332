/// The facts of a line that its next try needs, in whatever form the line was given: its URL, its id and its referer.
struct LineEssentials: Hashable {
  /// The URL as given, or nil if there is none.
  var url: String?
  var id: String?
  var referer: String?
  /// True if a page at a public address named the image, which may be at no other kind of address.
  var isNamedByPublicPage = false

  init(url: String?, id: String?, referer: String?) { (self.url, self.id, self.referer) = (url, id, referer) }

  /// Reads an operand, or a line with its fields.
  init(line: ArraySlice<UInt8>) {
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    url = fields.first.map { String(decoding: $0, as: UTF8.self) }
    for field in fields.dropFirst() {
      switch LineField.split(field) {
      case (.id, let value)?: id = String(decoding: value, as: UTF8.self)
      case (.referer, let value)?: referer = String(decoding: value, as: UTF8.self)
      case (.reach, _)?: isNamedByPublicPage = true
      default: break
      }
    }
  }
}
