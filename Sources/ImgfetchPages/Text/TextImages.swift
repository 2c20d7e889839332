/// Finds the addresses of pictures in a text that is of no other kind: each with an image's ending, and each that has a
/// line for itself, as in a list.
package struct TextImages: PictureParser {
  private var lines = TextLines()
  private var found: [PageImage] = []

  package init() {}

  package mutating func feed(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      if let line = lines.take(bytes[index]) { end(line) }
    }
  }

  package mutating func finish() { end(lines.takeLine()) }

  package mutating func takeFound() -> [PageImage] { exchange(&found, with: []) }

  private mutating func end(_ line: [UInt8]) {
    let text = TextBytes.trimmed(line[...])
    if text.first == UInt8(ascii: "#") { return }
    // A line of a list may have fields behind its address.
    let first = text.prefix { $0 != UInt8(ascii: "\t") }
    if let whole = Self.address(first, at: first.startIndex), whole.endIndex == first.endIndex {
      return found.append(PageImage(.link, whole))
    }
    for address in Self.addresses(in: text) where ReferenceFormat(reference: address) != nil {
      found.append(PageImage(.link, address))
    }
  }

  /// The addresses in a text, in their order.
  static func addresses(in text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var addresses: [ArraySlice<UInt8>] = []
    var at = text.startIndex
    while at < text.endIndex {
      if let address = address(text, at: at) {
        addresses.append(address)
        at = address.endIndex
      } else {
        at += 1
      }
    }
    return addresses
  }

  /// Returns the address that begins here, without the punctuation of the sentence around it, or nil if none does.
  static func address(_ text: ArraySlice<UInt8>, at start: Int) -> ArraySlice<UInt8>? {
    let rest = text[start...]
    guard beginsAddress(rest) else { return nil }
    var address = rest.prefix { $0 > 0x20 && !"<>\"`{}|\\^".utf8.contains($0) && $0 != 0x7F }
    address = withoutMarkup(address)
    // A parenthesis belongs to it if it was opened in it.
    let opening = address.count { $0 == UInt8(ascii: "(") }
    var closing = address.count { $0 == UInt8(ascii: ")") }
    while let last = address.last {
      let isUnopened = last == UInt8(ascii: ")") && closing > opening
      guard isUnopened || ".,;:!?'*_]".utf8.contains(last) else { break }
      if isUnopened { closing -= 1 }
      address.removeLast()
    }
    return address.count > rest.prefix { $0 != UInt8(ascii: "/") }.count + 2 ? address : nil
  }

  /// True if the text begins with the scheme of the web.
  static func beginsAddress(_ text: ArraySlice<UInt8>) -> Bool {
    // Asked at nearly each byte.
    guard text.first.map(TextBytes.lowered) == UInt8(ascii: "h") else { return false }
    let head = text.prefix(8).map(TextBytes.lowered)
    return head.starts(with: "http://".utf8) || head.starts(with: "https://".utf8)
  }

  /// An address up to the bracket that follows its picture's name, which is that of AsciiDoc's text, or of a tag of a
  /// forum. A query may have brackets of its own.
  private static func withoutMarkup(_ address: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let name = address.prefix { !"[]?#".utf8.contains($0) }
    guard name.endIndex < address.endIndex, "[]".utf8.contains(address[name.endIndex]) else { return address }
    return ReferenceFormat(reference: name) != nil ? name : address
  }
}
