import CImageShim

/// The reason why an image's pixels could not be decoded or encoded. `description` is a clause to follow a URL
/// or file name and a colon.
package enum PixelFailure: Error, Sendable, Hashable {
  /// The structure of the image is complete, but its pixels are not. The reason is the library's text.
  case damaged(ImageFormat, reason: String)
  /// The image has more pixels than the options allow.
  case overLimit(ImageFormat, reason: String)
  /// The image needs more memory than allowed.
  case tooLarge(ImageFormat, reason: String)
  /// The image needs more time than it is given. With more time, its pixels could be decoded.
  case slow(ImageFormat, reason: String)
  /// The decoder did not survive the image, which tells nothing about the image's bytes.
  case crashed(ImageFormat, reason: String)
  /// The image is of a kind that cannot be decoded, or the format cannot hold the result.
  case unsupported(ImageFormat, reason: String)
  /// A library for its format is not installed. The text names the library and its package.
  case noLibrary(ImageFormat, name: String)
  /// Memory is short: the options allow the image this many bytes, and this machine has less.
  case noMemory(ImageFormat, needed: Int64)
  /// The file of the image could not be read.
  case unreadable(SystemError)
  /// The stored bytes do not match their checksum.
  case changed
  /// The helper process could not be started.
  case noHelper(SystemError)
  /// The kernel cannot restrict the helper process.
  case noSandbox
  /// The time of the request is over.
  case overtime
  /// The run was ended.
  case stopped
}

extension PixelFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .damaged(let format, let reason): "damaged \(format.displayName): its pixels cannot be decoded: \(reason)"
    case .overLimit(let format, let reason), .tooLarge(let format, let reason):
      "\(format.displayName) too large: \(reason)"
    case .slow(let format, let reason): "\(format.displayName) too slow: \(reason)"
    case .crashed(let format, let reason): "\(format.displayName) that cannot be decoded: \(reason)"
    case .unsupported(let format, let reason): "\(format.displayName) of a kind that is not supported: \(reason)"
    case .noLibrary(_, let name): "it needs \(name), which is not installed"
    case .noMemory(_, let needed):
      "its pixels may need \(max(1, needed >> 20)) MiB of memory beside the decoder's own, and this machine has less for one "
        + "process"
    case .unreadable(let error): "\(error)"
    case .changed: "the stored bytes have changed since they were stored"
    case .noHelper(let error):
      "the process that decodes images could not be started (\(error)\(isOfScarcity ? "; see 'ulimit -u' and 'ulimit -n'" : ""))"
    case .noSandbox: "not decoded, since the kernel does not restrict what a decoder may do (seccomp)"
    case .overtime: "decoding it took longer than is allowed"
    case .stopped: "decoding it was broken off"
    }
  }
}

extension PixelFailure {
  /// The failure as it is reported, about the URL or file that the image came from.
  package func fetchError(of subject: String) -> FetchError {
    let kind: FetchError.Kind =
      switch self {
      case .damaged, .changed: .damaged
      case .overLimit, .tooLarge, .slow, .crashed: .limit
      case .unsupported, .noLibrary: .notImage
      case .unreadable, .noHelper, .noSandbox, .noMemory: .file
      case .overtime: .timeout
      case .stopped: .cancelled
      }
    // A damaged cache entry can be fetched again.
    return FetchError(kind, subject, description, isTransient: self == .changed, remedy: remedy, cause: cause)
  }

  private var cause: FetchError.Cause? {
    switch self {
    case .unreadable(let error), .noHelper(let error): FetchError.Cause(errno: error.code)
    case .damaged, .overLimit, .tooLarge, .slow, .crashed, .unsupported, .noLibrary, .noMemory, .changed, .noSandbox,
      .overtime, .stopped:
      nil
    }
  }

  /// True if the system allows this user, or this process, no more of what a helper takes. To do without a sandbox is
  /// no remedy for that.
  var isOfScarcity: Bool {
    guard case .noHelper(let error) = self else { return false }
    return [.tryAgain, .noMemory, .tooManyOpenFiles].contains(error.code)
  }

  private var remedy: FetchError.Remedy? {
    switch self {
    case .noHelper where isOfScarcity: nil
    case .noHelper, .noSandbox: .decodeUnprotected
    case .noLibrary: .installLibrary
    case .noMemory: .addMemory
    case .overtime: .allowMoreTime
    case .slow: .decodeElsewhere
    case .overLimit: .allowMorePixels
    case .damaged, .tooLarge, .crashed, .unsupported, .unreadable, .changed, .stopped: nil
    }
  }

  package init(_ failure: BodyReadFailure) {
    switch failure {
    case .damaged: self = .changed
    case .source(let error), .sink(let error): self = .unreadable(error)
    }
  }

  init(_ trouble: imgfetch_trouble, _ format: ImageFormat) {
    var trouble = trouble
    let text = unsafe withUnsafeBytes(of: &trouble.reason) { unsafe Array($0.prefix { $0 != 0 }) }
    self.init(Int(trouble.kind), trouble.number, text, format)
  }

  /// - Parameter text: The text of the library, which may quote a name from the file, or of a helper, which may be an
  ///   attacker's.
  init(_ kind: Int, _ number: Int32, _ text: [UInt8], _ format: ImageFormat) {
    let reason = String(decoding: text.map { 0x20...0x7E ~= $0 ? $0 : 0x3F }, as: UTF8.self)
    switch kind {
    case IMGFETCH_TOO_LARGE: self = .tooLarge(format, reason: reason)
    case IMGFETCH_UNSUPPORTED: self = .unsupported(format, reason: reason)
    case IMGFETCH_NO_LIBRARY: self = .noLibrary(format, name: reason)
    case IMGFETCH_UNREADABLE: self = .unreadable(SystemError(.pread, Errno(rawValue: number)))
    default: self = .damaged(format, reason: reason)
    }
  }
}
