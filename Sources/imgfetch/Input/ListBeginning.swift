/// The meaning of a list's first bytes.
enum ListBeginning {
  /// The beginning of the first line of a list of failures.
  static let failedListMark = "# imgfetch --failed-list"

  /// The reason why the list cannot be read in any format; nil if its first bytes show none.
  static func kind(of bytes: ArraySlice<UInt8>) -> String? {
    kinds.first { bytes.starts(with: $0.bytes) }?.reason
  }

  private static let kinds: [(bytes: [UInt8], reason: String)] = [
    ([0xFF, 0xFE], "it is UTF-16; iconv -f UTF-16 -t UTF-8 makes it UTF-8"),
    ([0xFE, 0xFF], "it is UTF-16; iconv -f UTF-16 -t UTF-8 makes it UTF-8"),
    ([0x28, 0xB5, 0x2F, 0xFD], "it is compressed with zstd; zstd -dc FILE | imgfetch … -i - reads it"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "it is compressed with xz; xz -dc FILE | imgfetch … -i - reads it"),
    (Array("BZh".utf8), "it is compressed with bzip2; bzip2 -dc FILE | imgfetch … -i - reads it"),
    (Array("PK\u{3}\u{4}".utf8), "it is a ZIP archive (a spreadsheet is one, too); save the table as CSV"),
    (Array("PAR1".utf8), "it is a Parquet file; save the table as CSV or as JSON lines"),
    ([0x89, 0x50, 0x4E, 0x47], "it is a PNG image; imgfetch show and imgfetch inspect take images"),
    ([0xFF, 0xD8, 0xFF], "it is a JPEG image; imgfetch show and imgfetch inspect take images"),
    (Array("GIF8".utf8), "it is a GIF image; imgfetch show and imgfetch inspect take images"),
    (Array("%PDF-".utf8), "it is a PDF document, and a list is text"),
  ]
}
