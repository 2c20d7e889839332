/// An encoding of text that a page may have, by the names of the Encoding standard.
enum TextEncoding: Sendable, Equatable {
  case utf8
  case utf16(isBigEndian: Bool)
  /// One byte a character: the characters of the bytes from 0x80 on.
  case singleByte(SingleByteTable)
  /// An encoding with several bytes a character, of which only ASCII is read: addresses and markup consist of it.
  case multiByte

  /// The encoding of a label, in any case, or nil where there is none of that name.
  init?(label: some Collection<UInt8>) {
    let name = String(decoding: label.map(TextBytes.lowered), as: UTF8.self)
    switch name {
    case "utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8": self = .utf8
    case "utf-16", "utf-16le", "unicode", "ucs-2", "csunicode", "iso-10646-ucs-2", "unicodefeff":
      self = .utf16(isBigEndian: false)
    case "utf-16be", "unicodefffe": self = .utf16(isBigEndian: true)
    default:
      if let table = SingleByteTable(label: name) {
        self = .singleByte(table)
      } else if Self.multiByteLabels.contains(name) {
        self = .multiByte
      } else {
        return nil
      }
    }
  }

  private static let multiByteLabels: Set<String> = [
    "gbk", "gb2312", "gb_2312-80", "gb18030", "x-gbk", "chinese", "big5", "big5-hkscs", "cn-big5", "x-x-big5", "euc-jp",
    "x-euc-jp", "shift_jis", "shift-jis", "sjis", "x-sjis", "windows-31j", "ms_kanji", "euc-kr", "ks_c_5601-1987",
    "ksc5601", "korean", "windows-949", "iso-2022-jp", "csbig5", "cseuckr", "cseucpkdfmtjapanese", "csgb2312",
    "csiso2022jp", "csiso58gb231280", "csksc56011987", "csshiftjis", "gb_2312", "iso-ir-149", "iso-ir-58",
    "ks_c_5601-1989", "ksc_5601", "ms932",
  ]
}
