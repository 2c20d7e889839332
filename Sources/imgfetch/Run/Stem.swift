import ImgfetchCore

/// A file's name in two: what it is called, and the extension of an image if it has one.
struct Stem: Hashable {
  /// Never empty.
  var text: String
  /// Without its dot, as it was written; nil where there is none that is an image's.
  var imageExtension: String?

  /// The stem of a URL's last path segment, percent-decoded.
  init(segment: String) {
    let name = SafeName.component(segment)
    let (head, tail) = Stem.split(name)
    let stem = SafeName.component(head)
    text = stem.isEmpty ? Stem.nameless : stem
    imageExtension = tail
  }

  /// What is called nothing is called this.
  static let nameless = "image"

  /// Splits off an extension, if it is one that images have. What looks like one and is none (`photo.php`) stays.
  static func split(_ name: String) -> (stem: String, imageExtension: String?) {
    let bytes = name.utf8Span.span
    guard let start = extensionStart(in: bytes) else { return (name, nil) }
    return (String(bytes, 0..<start - 1), String(bytes, start..<bytes.count))
  }

  /// Where an image's extension begins, behind its dot; nil where there is none.
  static func extensionStart(in name: borrowing Span<UInt8>) -> Int? {
    var packed: UInt64 = 0
    var at = name.count
    while at > 0, name.count - at <= MemoryLayout<UInt64>.size {
      let byte = name[at - 1]
      if byte == UInt8(ascii: ".") { return imageExtensions.contains(packed) ? at : nil }
      packed = packed << 8 | UInt64(byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte)
      at -= 1
    }
    return nil
  }

  /// The extensions of accepted formats, and of others that a server may have meant when it sent an accepted one. Packed into
  /// numbers, from the last letter to the first: each name of a list is looked up here twice, and a set of texts took as long for it
  /// as the rest of the naming.
  private static let imageExtensions: [UInt64] =
    (ImageFormat.allCases.flatMap(\.acceptedExtensions)
    + ["avif", "bmp", "heic", "heif", "ico", "jp2", "jxl", "svg", "tif", "tiff"])
    .map { $0.utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) } }

  /// The extension for an image of this format: its own where that is right, else the format's. Without a format, its own.
  static func fitting(_ own: String?, _ format: ImageFormat?) -> String? {
    guard let format, own != format.preferredExtension else { return own }
    if let own, format.acceptedExtensions.contains(own.lowercased()) { return own }
    return format.preferredExtension
  }
}
