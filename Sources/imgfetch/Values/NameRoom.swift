import ImgfetchCore

/// The room for one component of an output's path, and the part of it that fields of the image may take. These are
/// known only when the name has been shortened already.
enum NameRoom {
  /// File systems take 255 bytes. 33 are reserved for the suffix that distinguishes images of the same name.
  static let bytes = 255 - 33
  /// The maximum length of a number of pixels, a format's name or an extension.
  static let fact = 10
  /// The length of a SHA-256 in hex.
  static let digest = 64

  /// The maximum length of a fingerprint's text.
  static func length(of fingerprint: ImageDetail) -> Int {
    switch fingerprint {
    case .thumbhash: 36
    case .blurhash: 28
    case .dhash, .phash: 16
    // No template names it.
    case .exif: 0
    }
  }

  /// True if each component of a template for names has room for its fields of the image, and for a byte of each text
  /// around them.
  static func suffices(for template: String) -> Bool {
    template.pathParts(omittingEmpty: false).allSatisfy { component in
      var length = 1
      var rest = Substring(component)
      while let open = rest.firstIndex(of: "{") {
        guard let field = TemplateField(at: rest[open...]) else {
          rest = rest[rest.index(after: open)...]
          continue
        }
        rest = field.rest
        if let most = mostBytes(of: String(field.name)) { length += most + 1 }
      }
      return length <= bytes
    }
  }

  /// The maximum length of a field of the image; nil for a field that is known before.
  private static func mostBytes(of field: String) -> Int? {
    switch field {
    case "ext", "width", "height", "format": fact
    case "sha256": digest
    default: ImageDetail.fingerprints.first { $0.name == field }.map(length)
    }
  }
}
