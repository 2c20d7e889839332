/// The first element of an XML or HTML text: instructions, comments and the document's type precede it.
package enum MarkupRoot {
  /// Returns the name of the first element, in lower case and without a prefix, or nothing if there is none so far.
  package static func name(of text: ArraySlice<UInt8>) -> [UInt8] {
    var rest = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text
    while true {
      rest = rest.drop { $0 <= 0x20 }
      guard rest.first == UInt8(ascii: "<"), let second = rest.dropFirst().first else { return [] }
      switch second {
      case UInt8(ascii: "?"): rest = behind("?>", in: rest)
      case UInt8(ascii: "!"):
        if rest.starts(with: "<!--".utf8) {
          rest = behind("-->", in: rest.dropFirst(4))
        } else {
          // A subset in brackets has marks of its own.
          let end = rest.firstIndex { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "[") } ?? rest.endIndex
          let isSubset = end < rest.endIndex && rest[end] == UInt8(ascii: "[")
          rest = isSubset ? behind("]>", in: rest[end...]) : rest[end...].dropFirst()
        }
      default:
        let name = rest.dropFirst().prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }.map {
          UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0
        }
        return Array(XMLTag.local(name[...]))
      }
    }
  }

  /// Returns the text behind a mark, or nothing if the mark does not come.
  private static func behind(_ mark: StaticString, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let mark = Array(mark.description.utf8)
    var rest = text
    while !rest.isEmpty, !rest.starts(with: mark) { rest.removeFirst() }
    return rest.dropFirst(mark.count)
  }
}
