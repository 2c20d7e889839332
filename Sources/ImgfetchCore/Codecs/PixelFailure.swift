import CImageShim

/// Why an image's pixels could not be had, or could not be written. `description` is a clause that can follow a URL or
/// file name and a colon.
package enum PixelFailure: Error, Sendable, Hashable {
  /// Its structure was whole, but its pixels are not. The reason is the library's own word for it.
  case damaged(ImageFormat, reason: String)
  /// It asks for more memory or work than is allowed.
  case tooLarge(ImageFormat, reason: String)
  /// It is of a kind that is not decoded here, or cannot hold what it should.
  case unsupported(ImageFormat, reason: String)
  /// The file that holds it could not be read.
  case unreadable(SystemError)
  /// The stored bytes are not those that were stored.
  case changed
  /// The process that pixels are decoded in could not be had.
  case noHelper(SystemError)
  /// The kernel does not let that process be shut in.
  case notShutIn
}

extension PixelFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .damaged(let format, let reason): "damaged \(format.displayName): its pixels cannot be decoded: \(reason)"
    case .tooLarge(let format, let reason): "\(format.displayName) too large: \(reason)"
    case .unsupported(let format, let reason): "\(format.displayName) of a kind that is not supported: \(reason)"
    case .unreadable(let error): "\(error)"
    case .changed: "the stored bytes are not those that were stored"
    case .noHelper(let error):
      "the process that decodes images could not be started (\(error)); --no-sandbox does without it"
    case .notShutIn:
      "not decoded, since the kernel does not restrict what a decoder may do (seccomp); --no-sandbox decodes with all rights "
        + "of this user"
    }
  }
}

extension PixelFailure {
  /// What the failure is called in reports, said of the URL or file that the image came from.
  package func fetchError(of subject: String) -> FetchError {
    let kind: FetchError.Kind =
      switch self {
      case .damaged, .changed: .damaged
      case .tooLarge: .limit
      case .unsupported: .notImage
      case .unreadable, .noHelper, .notShutIn: .file
      }
    // What changed in the cache can be had anew.
    return FetchError(kind, subject, description, isTransient: self == .changed)
  }

  package init(_ failure: BodyReadFailure) {
    switch failure {
    case .damaged: self = .changed
    case .source(let error), .sink(let error): self = .unreadable(error)
    }
  }

  init(_ trouble: imgfetch_trouble, _ format: ImageFormat) {
    let reason = Self.text(trouble)
    switch Int(trouble.kind) {
    case IMGFETCH_TOO_LARGE: self = .tooLarge(format, reason: reason)
    case IMGFETCH_UNSUPPORTED: self = .unsupported(format, reason: reason)
    case IMGFETCH_UNREADABLE: self = .unreadable(SystemError(.pread, Errno(rawValue: trouble.number)))
    default: self = .damaged(format, reason: reason)
    }
  }

  /// The library's words, made harmless: they may quote a name out of the file.
  private static func text(_ trouble: imgfetch_trouble) -> String {
    var trouble = trouble
    let bytes = unsafe withUnsafeBytes(of: &trouble.reason) { unsafe Array($0.prefix { $0 != 0 }) }
    return String(decoding: bytes.map { 0x20...0x7E ~= $0 ? $0 : 0x3F }, as: UTF8.self)
  }
}
