import ImgfetchCore

/// A file name split into stem and image extension.
struct Stem: Hashable {
  /// Never empty.
  var text: String
  /// The extension without its dot, as written, or nil if the name has no image extension.
  var imageExtension: String?

  /// The stem of a URL's last path segment, percent-decoded.
  init(segment: String) {
    let name = SafeName.component(Stem.shortened(segment))
    let (head, tail) = Stem.split(name)
    let stem = SafeName.component(head)
    text = stem.isEmpty ? Stem.nameless : stem
    imageExtension = tail
  }

  /// A long segment with the end of its stem cut off, so that its extension stays.
  static func shortened(_ segment: String) -> String {
    guard segment.utf8.count > SafeName.byteLimit, let tail = split(segment).imageExtension else { return segment }
    let end = "." + tail
    let stem = SafeName.component(String(Substring(segment.utf8.dropLast(end.utf8.count))))
    return SafeName.cut(stem, to: SafeName.byteLimit - end.utf8.count) + end
  }

  /// The name of files that would have none.
  static let nameless = "image"

  /// Splits off an image extension. Other extensions (`photo.php`) belong to the stem.
  static func split(_ name: String) -> (stem: String, imageExtension: String?) {
    let bytes = name.utf8Span.span
    guard let start = extensionStart(in: bytes) else { return (name, nil) }
    return (String(bytes, 0..<start - 1), String(bytes, start..<bytes.count))
  }

  /// The index at which the image extension begins, after its dot; nil if there is none.
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

  /// The extensions of accepted formats, and of others that a server may have meant. Each is packed into a number, last
  /// letter first: every name is looked up here twice, and a set of strings took as long as the rest of the naming.
  private static let imageExtensions: [UInt64] =
    (ImageFormat.allCases.flatMap(\.acceptedExtensions)
    + ["avif", "bmp", "heic", "heif", "ico", "jp2", "jxl", "svg", "svgz", "tif", "tiff"] + rawExtensions)
    .map { $0.utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) } }

  /// Raw images of cameras are TIFFs, and are known by names of their own.
  static let rawExtensions = [
    "3fr", "arw", "cr2", "dcr", "dng", "erf", "fff", "iiq", "kdc", "mef", "mos", "nef", "nrw", "pef", "sr2", "srf",
    "srw",
  ]

  /// The extension for a format: the URL's own if it fits, else the preferred one. Without a format, the URL's own.
  static func fitting(_ own: String?, _ format: ImageFormat?) -> String? {
    guard let format, own != format.preferredExtension else { return own }
    if let own, isRight(own, for: format) { return own }
    return format.preferredExtension
  }

  /// True if a format's images may have an extension.
  static func isRight(_ name: String, for format: ImageFormat) -> Bool {
    let name = name.lowercased()
    return format.acceptedExtensions.contains(name) || (format == .tiff && rawExtensions.contains(name))
  }
}
