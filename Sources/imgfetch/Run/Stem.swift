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
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return (name, nil) }
    let tail = String(name[name.utf8.index(after: dot)...])
    guard imageExtensions.contains(tail.lowercased()) else { return (name, nil) }
    return (String(name[..<dot]), tail)
  }

  /// The extensions of accepted formats, and of others that a server may have meant when it sent an accepted one.
  private static let imageExtensions: Set<String> = Set(
    ImageFormat.allCases.flatMap(\.acceptedExtensions)
      + ["avif", "bmp", "heic", "heif", "ico", "jp2", "jxl", "svg", "tif", "tiff"])

  /// The extension for an image of this format: its own where that is right, else the format's. Without a format, its own.
  static func fitting(_ own: String?, _ format: ImageFormat?) -> String? {
    guard let format else { return own }
    if let own, format.acceptedExtensions.contains(own.lowercased()) { return own }
    return format.preferredExtension
  }
}
