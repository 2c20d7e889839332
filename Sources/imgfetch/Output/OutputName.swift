import ImgfetchCore

/// The name of an output, relative to the output folder. It is decided when the line is read, except for the parts that
/// depend on the image.
struct OutputName: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case text(String)
    /// Parts that depend on the image.
    case width, height, format, fileExtension, sha256
    case fingerprint(ImageDetail)
  }

  let parts: [Part]
  /// The extension in the URL, if it is one of an image format.
  let ownExtension: String?
  /// True if the name must stay in the output folder.
  private let isConfined: Bool
  /// True if the name is the user's own path, used as it is.
  var isExact: Bool { !isConfined }

  /// A name that a line gives: as it is, with an extension where it has none.
  init(given name: String, ownExtension: String?) {
    let last = name.pathSplit.name.utf8.drop { $0 == UInt8(ascii: ".") }
    if last.dropLast().contains(UInt8(ascii: ".")) {
      self.init(parts: [.text(name)], ownExtension: nil)
    } else {
      self.init(parts: [.text(name.endsInDot ? name : name + "."), .fileExtension], ownExtension: ownExtension)
    }
  }

  /// A name from a server or a list: it never leaves the output folder and is never empty.
  init(parts: [Part], ownExtension: String?) {
    self.parts = parts
    self.ownExtension = ownExtension
    isConfined = true
  }

  /// The user's own path (`-o`), used as it is.
  init(exactly path: String) {
    parts = [.text(path)]
    ownExtension = nil
    isConfined = false
  }

  /// The path of an image below `folder`, which ends in `/` unless it is the working directory. An image that was not
  /// inspected (`--verify none`) keeps its URL's extension and has no size.
  func path(
    for facts: ImageFacts?, _ details: ImageDetails? = nil, digest: String? = nil, in folder: String = ""
  ) -> String {
    path(
      in: folder,
      extension: Stem.fitting(ownExtension, facts?.format), width: facts?.width ?? 0, height: facts?.height ?? 0,
      format: facts?.format, details, digest)
  }

  /// The path of an image that has not come.
  ///
  /// - Parameter format: The format that it will be made into, or nil if that is not known.
  func path(becoming format: ImageFormat?, in folder: String = "") -> String {
    path(in: folder, extension: Stem.fitting(ownExtension, format), width: 0, height: 0, format: format)
  }

  /// True if the whole name is known before the image has come, but for its extension.
  ///
  /// - Parameter format: The format that it will be made into; nil if that is not known.
  func isKnown(becoming format: ImageFormat?) -> Bool {
    !parts.contains { $0.isOfPixels || ($0 == .format && format == nil) }
  }

  /// True if the name holds the SHA-256 of the bytes.
  var needsDigest: Bool { parts.contains(.sha256) }

  /// The SHA-256 of the bytes, as the name holds it; nil if it does not.
  func digest(of body: ImageBody, for url: String) throws(FetchError) -> String? {
    guard needsDigest else { return nil }
    var text: [UInt8] = []
    text.append(hex: try body.sha256(for: url))
    return String(decoding: text, as: UTF8.self)
  }

  /// The possible paths of an accepted image; nil if they depend on its size.
  ///
  /// - Parameter capitals: True if files of others count, too: cameras and Windows write extensions in capitals.
  func candidates(in folder: String = "", capitals: Bool = false) -> [String]? {
    if parts.contains(where: \.isOfPixels) { return nil }
    if !parts.contains(.fileExtension) && !parts.contains(.format) { return [path(for: nil, in: folder)] }
    var paths: [String] = []
    for format in ImageFormat.allCases {
      for name in format.acceptedExtensions {
        for name in capitals ? [name, name.uppercased()] : [name] {
          let path = path(in: folder, extension: name, width: 0, height: 0, format: format)
          if !paths.contains(path) { paths.append(path) }
        }
      }
    }
    // As the URL writes it: in capitals, or a camera's name for a TIFF.
    for format in ImageFormat.allCases {
      guard let ownExtension, Stem.isRight(ownExtension, for: format) else { continue }
      let path = path(in: folder, extension: ownExtension, width: 0, height: 0, format: format)
      if !paths.contains(path) { paths.append(path) }
    }
    return paths
  }

  private func path(
    in folder: String, extension name: String?, width: Int, height: Int, format: ImageFormat?,
    _ details: ImageDetails? = nil, _ digest: String? = nil
  ) -> String {
    let folder = isAbsolute ? "" : folder
    // One string is built from beginning to end, since each further one is an allocation in the writer's thread.
    var path = ""
    path.reserveCapacity(folder.utf8.count + Self.usualLength)
    path += folder
    for part in parts {
      switch part {
      case .text(let text): path += text
      case .width: path += String(width)
      case .height: path += String(height)
      case .format: path += format?.rawValue ?? "unknown"
      case .sha256: path += digest ?? "unknown"
      case .fingerprint(let kind): path += details?.text(of: kind).map(Self.fileName) ?? "unknown"
      case .fileExtension:
        if let name { path += name } else if path.endsInDot { path.unicodeScalars.removeLast() }
      }
    }
    if !isConfined || OutputName.isOneComponent(path.utf8Span.span, from: folder.utf8.count) { return path }
    return folder + OutputName.confined(String(path.utf8Span.span, folder.utf8.count..<path.utf8.count))
  }

  /// A fingerprint in the alphabet of file names: base64 has one of its own for them (RFC 4648 §5).
  private static func fileName(of fingerprint: String) -> String {
    let bytes = fingerprint.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: byte
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The name without its extension; nil if it depends on the image.
  var stem: String? {
    let bare = path(in: "", extension: nil, width: 0, height: 0, format: nil)
    switch (parts.count, parts.first, parts.last) {
    case (1, .text, _): return Stem.split(bare).stem
    case (2, .text, .fileExtension): return bare
    default: return nil
    }
  }

  /// The stem by which its files can be found in a listing of their folder; nil if their names have no such stem.
  var listedStem: String? {
    switch (parts.count, parts.first, parts.last) {
    case (1, .text, _): stem
    case (2, .text(let text), .fileExtension) where text.endsInDot: stem
    default: nil
    }
  }

  /// True if the name is an absolute path given by the user.
  private var isAbsolute: Bool {
    guard !isConfined, case .text(let text) = parts.first else { return false }
    return text.utf8.first == UInt8(ascii: "/")
  }

  /// Confines the whole path. Each part is safe by itself, but a template can combine them unsafely (`{path}/{name}`
  /// without a path, `..{path}`).
  private static func confined(_ path: String) -> String {
    let components = path.pathParts().filter { !$0.hasBytes(of: ".") }.map { $0.hasBytes(of: "..") ? "__" : $0 }
    let whole = components.joined(separator: "/")
    if whole.isEmpty { return Stem.nameless }
    return path.utf8.last == UInt8(ascii: "/") ? whole + "/" + Stem.nameless : whole
  }

  /// Confines a claim like the path: `a/b` and `a/./b` are one file. Parts that depend on the image are never empty or
  /// dots.
  private static func confine(_ claim: inout [UInt8]) {
    let dot = UInt8(ascii: ".")
    let components = claim.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: true)
      .filter { !$0.elementsEqual([dot]) }.map { $0.elementsEqual([dot, dot]) ? Array("__".utf8) : Array($0) }
    let isUnnamed = components.isEmpty || claim.last == UInt8(ascii: "/")
    claim = Array((components + (isUnnamed ? [Array(Stem.nameless.utf8)] : [])).joined(separator: [UInt8(ascii: "/")]))
  }

  /// True if there is nothing to confine, as in most names: a single component that does not begin with a dot.
  private static func isOneComponent(_ path: borrowing Span<UInt8>, from start: Int) -> Bool {
    if start == path.count || path[start] == UInt8(ascii: ".") { return false }
    for index in start..<path.count where path[index] == UInt8(ascii: "/") { return false }
    return true
  }
}

extension OutputName.Part {
  /// The fixed text; nil for a part that depends on the image.
  fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }

  /// True if the piece depends on more of an image than its format.
  fileprivate var isOfPixels: Bool {
    switch self {
    case .width, .height, .fingerprint, .sha256: true
    case .text, .format, .fileExtension: false
    }
  }
}

extension OutputName {
  /// The name with a suffix in its last component, before the extension.
  func with(suffix: String) -> OutputName {
    var parts = parts
    // A last component that would be empty has a name of its own, which the digits follow.
    switch parts.last {
    case nil: parts = [.text(Stem.nameless)]
    case .text(let text) where text.isEmpty || text.endsInSlash: parts[parts.count - 1] = .text(text + Stem.nameless)
    default: break
    }
    switch parts.last {
    case .fileExtension, .format:
      if parts.count >= 2, case .text(let text) = parts[parts.count - 2], text.endsInDot {
        let end = 1 + (parts.last == .format ? NameRoom.format : NameRoom.fileExtension)
        let stem = Self.text(String(text.withoutLastByte), with: suffix, before: end)
        parts[parts.count - 2] = .text(stem + ".")
      } else {
        parts.insert(.text(suffix), at: parts.count - 1)
      }
    case .text(let text):
      let (stem, tail) = Stem.split(text)
      let end = tail.map { "." + $0 } ?? ""
      parts[parts.count - 1] = .text(Self.text(stem, with: suffix, before: end.utf8.count) + end)
    case .width, .height, .fingerprint, .sha256, nil: parts.append(.text(suffix))
    }
    return having(parts)
  }

  /// A text with a suffix. A name that a line gives may be as long as a file system allows, and is shortened for it.
  ///
  /// - Parameter end: The length of what follows the suffix.
  private static func text(_ text: String, with suffix: String, before end: Int) -> String {
    let name = text.pathSplit.name
    let room = NameRoom.component - suffix.utf8.count - end
    if name.utf8.count <= room { return text + suffix }
    let folders = String(Substring(text.utf8.dropLast(name.utf8.count)))
    return folders + SafeName.cut(String(name), to: room) + suffix
  }

  private func having(_ parts: [Part]) -> OutputName {
    isConfined
      ? OutputName(parts: parts, ownExtension: ownExtension) : OutputName(exactly: parts.compactMap(\.text).joined())
  }

  /// The name with an extension of that format, for bytes whose format is known from nothing else. The user's own path
  /// stays as it is.
  func fitting(_ format: ImageFormat?) -> OutputName {
    guard isConfined, let format, parts.count == 1, case .text(let text)? = parts.first else { return self }
    let (stem, tail) = Stem.split(text)
    guard let tail, !Stem.isRight(tail, for: format) else { return self }
    return having([.text("\(stem).\(format.preferredExtension)")])
  }

  /// True if the name has the extension of another format.
  func lies(about format: ImageFormat?) -> Bool {
    guard let format, parts.count == 1, case .text(let text)? = parts.first, let tail = Stem.split(text).imageExtension
    else { return false }
    return !Stem.isRight(tail, for: format)
  }

  /// Appends the claimed name: without the image extension, which is known only later.
  func appendClaim(to claim: inout [UInt8]) {
    for part in parts {
      switch part {
      case .text(let text): claim.append(contentsOf: text.utf8)
      // No name holds NUL.
      case .width: claim += [0, UInt8(ascii: "w")]
      case .height: claim += [0, UInt8(ascii: "h")]
      case .sha256: claim += [0, UInt8(ascii: "s")]
      case .fingerprint(let kind): claim += [0, UInt8(ascii: "a") + kind.rawValue]
      case .format, .fileExtension: claim.append(0)
      }
    }
    if isConfined, !Self.isOneComponent(claim.span, from: 0) { Self.confine(&claim) }
    if let start = Stem.extensionStart(in: claim.span) {
      claim.removeSubrange(start...)
      claim.append(0)
    }
  }

  /// The length of most names.
  private static let usualLength = 64
}
