import ImgfetchCore

/// The room for one component of an output's path, and the part of it that fields of the image may take. These are
/// known only when the name has been shortened already.
enum NameRoom {
  /// The bytes that file systems take.
  static let component = 255
  /// 33 bytes are reserved for the suffix that distinguishes images of the same name.
  static let bytes = component - 33
  /// The maximum length of a number of pixels.
  static let pixels = 10
  /// The length of `unknown`, which is longer than the name of any format.
  static let format = 7
  /// The maximum length of an extension.
  static let fileExtension = 5
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
      var length = 0
      var hasText = false
      func endText() {
        if hasText { length += 1 }
        hasText = false
      }
      var rest = Substring(component)
      while !rest.isEmpty {
        guard let field = TemplateField(at: rest) else {
          hasText = true
          rest = rest.dropFirst()
          continue
        }
        rest = field.rest
        if let most = mostBytes(of: String(field.name)) {
          endText()
          length += most
        } else {
          hasText = true
        }
      }
      endText()
      return length <= bytes
    }
  }

  /// The maximum length of a field of the image; nil for a field that is known before.
  private static func mostBytes(of field: String) -> Int? {
    switch field {
    case "ext": fileExtension
    case "format": format
    case "width", "height": pixels
    case "sha256": digest
    default: ImageDetail.fingerprints.first { $0.name == field }.map(length)
    }
  }
}
