/// What a server says that its answer is. The bytes decide; this is for reports, and for dropping a page at once.
package struct ContentType: Hashable, Sendable {
  /// `type/subtype` in lower case, without parameters.
  package let essence: String

  /// Nil where the value does not begin with `type/subtype`.
  package init?(_ value: String) {
    let bytes = value.utf8.prefix { $0 != UInt8(ascii: ";") }.map(URLHost.lower)
    let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let type = parts[0].drop(while: HeaderFields.isBlank)
    var subtype = parts[1]
    while let last = subtype.last, HeaderFields.isBlank(last) { subtype.removeLast() }
    guard !type.isEmpty, !subtype.isEmpty, type.allSatisfy(HeaderFields.isToken),
      subtype.allSatisfy(HeaderFields.isToken)
    else { return nil }
    essence = String(decoding: type, as: UTF8.self) + "/" + String(decoding: subtype, as: UTF8.self)
  }

  package var isImage: Bool { essence.hasPrefix("image/") }

  /// A page for people, not an image under any name.
  package var isHTML: Bool { essence == "text/html" || essence == "application/xhtml+xml" }
}
