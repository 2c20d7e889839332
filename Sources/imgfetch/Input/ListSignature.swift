/// The kind of a file by its first bytes, if it is no text that is read as a list.
struct ListSignature {
  /// The kind, as a clause to follow "it is".
  let name: String
  /// The user's means against it, or nil if there is none in particular.
  let help: String?
  private let bytes: [UInt8]

  private init(_ bytes: [UInt8], _ name: String, _ help: String? = nil) {
    self.bytes = bytes
    self.name = name
    self.help = help
  }

  private init(_ text: String, _ name: String, _ help: String? = nil) { self.init(Array(text.utf8), name, help) }

  /// The signature that begins these bytes, or nil.
  static func of(_ bytes: some Sequence<UInt8>) -> ListSignature? {
    let beginning = Array(bytes.prefix(longest))
    return all.first { beginning.starts(with: $0.bytes) }
  }

  /// The reason why a list cannot be read in any format.
  var reason: String { "it is \(name)" + (help.map { "; \($0)" } ?? "") }

  private static let longest = 16
  private static let table = "save the table as CSV or as JSON lines"
  private static let images = "imgfetch show and imgfetch inspect take images"

  private static func unpacked(by program: String) -> String { "\(program) -dc FILE | imgfetch … -i - reads it" }

  private static let all: [ListSignature] = [
    ListSignature("PAR1", "a Parquet file", table), ListSignature("ARROW1", "an Arrow file", table),
    ListSignature("Obj\u{1}", "an Avro file", table), ListSignature("ORC\u{a}", "an ORC file", table),
    ListSignature("ORC\u{8}", "an ORC file", table), ListSignature("SQLite format 3", "an SQLite database", table),
    ListSignature("__imgfetch__/job", "a shard of a data set", "imgfetch report reads its rows"),
    ListSignature("PK\u{3}\u{4}", "a zip file (a spreadsheet is one, too)", "save the table as CSV"),
    ListSignature([0x1F, 0x8B], "compressed by gzip"),
    ListSignature("BZh", "compressed by bzip2", unpacked(by: "bzip2")),
    ListSignature([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "compressed by xz", unpacked(by: "xz")),
    ListSignature([0x28, 0xB5, 0x2F, 0xFD], "compressed by zstd", unpacked(by: "zstd")),
    ListSignature([0xFF, 0xFE, 0, 0], "text in UTF-32", "iconv -f UTF-32 -t UTF-8 makes it UTF-8"),
    ListSignature([0, 0, 0xFE, 0xFF], "text in UTF-32", "iconv -f UTF-32 -t UTF-8 makes it UTF-8"),
    ListSignature([0xFF, 0xFE], "text in UTF-16", "iconv -f UTF-16 -t UTF-8 makes it UTF-8"),
    ListSignature([0xFE, 0xFF], "text in UTF-16", "iconv -f UTF-16 -t UTF-8 makes it UTF-8"),
    ListSignature([0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59], "a NumPy array"),
    ListSignature([0x89, 0x48, 0x44, 0x46], "an HDF5 file"), ListSignature([0x80, 4, 0x95], "a Python pickle"),
    ListSignature("%PDF", "a PDF document", "a list is text"), ListSignature([0x7F, 0x45, 0x4C, 0x46], "a program"),
    ListSignature([0xFF, 0xD8, 0xFF], "a JPEG image", images),
    ListSignature([0x89, 0x50, 0x4E, 0x47], "a PNG image", images),
    ListSignature("GIF8", "a GIF image", images),
  ]
}
