/// The formats that are accepted. Which one a file has is decided by its bytes, never by a name or a server's word.
public enum ImageFormat: String, CaseIterable, Sendable {
  /// JPEG.
  case jpeg
  /// PNG, with or without animation.
  case png
  /// GIF, with or without animation.
  case gif
  /// WebP, lossy or lossless, with or without animation.
  case webp

  /// The media type. An animated PNG is `image/png` too: that is what servers send and every reader takes.
  public var mime: String { "image/\(rawValue)" }

  /// The name as people write it.
  public var displayName: String {
    switch self {
    case .jpeg: "JPEG"
    case .png: "PNG"
    case .gif: "GIF"
    case .webp: "WebP"
    }
  }

  /// The extension (without a dot) that a file of this format gets.
  public var preferredExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// The extensions that a file of this format may keep, in lower case.
  public var acceptedExtensions: [String] {
    switch self {
    case .jpeg: ["jpg", "jpeg", "jpe", "jfif"]
    case .png: ["png", "apng"]
    case .gif: ["gif"]
    case .webp: ["webp"]
    }
  }
}
