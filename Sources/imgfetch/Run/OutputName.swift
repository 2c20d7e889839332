import ImgfetchCore

/// What a file will be called, relative to the output folder: settled when its line is read, but for what only the
/// image can tell.
struct OutputName: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case text(String)
    /// What waits for the image.
    case width, height, format, fileExtension
  }

  let parts: [Part]
  /// The extension that the URL has, if it is an image's.
  let ownExtension: String?
  /// Whether it must stay in the output folder.
  private let isConfined: Bool

  /// A name that is made of what a server or a list said: it never leaves the output folder, and is never empty.
  init(parts: [Part], ownExtension: String?) {
    self.parts = parts
    self.ownExtension = ownExtension
    isConfined = true
  }

  /// The user's own path (`-o`), which is taken as it is.
  init(exactly path: String) {
    parts = [.text(path)]
    ownExtension = nil
    isConfined = false
  }

  /// The path of an image. Where nobody looked at it (`--verify none`), it keeps its URL's extension and has no size.
  func path(for facts: ImageFacts?) -> String {
    path(
      extension: Stem.fitting(ownExtension, facts?.format), width: facts?.width ?? 0, height: facts?.height ?? 0,
      format: facts?.format.rawValue ?? "unknown")
  }

  /// The paths that an accepted image may get here; nil where its size decides too.
  var candidates: [String]? {
    if parts.contains(.width) || parts.contains(.height) { return nil }
    if !parts.contains(.fileExtension) && !parts.contains(.format) { return [path(for: nil)] }
    var paths: [String] = []
    for format in ImageFormat.allCases {
      for name in format.acceptedExtensions {
        let path = path(extension: name, width: 0, height: 0, format: format.rawValue)
        if !paths.contains(path) { paths.append(path) }
      }
    }
    return paths
  }

  private func path(extension name: String?, width: Int, height: Int, format: String) -> String {
    var path = ""
    for part in parts {
      switch part {
      case .text(let text): path += text
      case .width: path += String(width)
      case .height: path += String(height)
      case .format: path += format
      case .fileExtension:
        if let name { path += name } else if path.last == "." { path.removeLast() }
      }
    }
    return isConfined ? OutputName.confined(path) : path
  }

  /// Each piece is safe by itself; this sees to what a template makes of them together (`{path}/{name}` without a path,
  /// `..{path}`).
  private static func confined(_ path: String) -> String {
    // One component that begins with no dot: most names.
    if let first = path.utf8.first, first != UInt8(ascii: "."), !path.utf8.contains(UInt8(ascii: "/")) { return path }
    let components = path.split(separator: "/").filter { $0 != "." }.map { $0 == ".." ? "__" : $0 }
    let whole = components.joined(separator: "/")
    if whole.isEmpty { return Stem.nameless }
    return path.utf8.last == UInt8(ascii: "/") ? whole + "/" + Stem.nameless : whole
  }
}

extension OutputName {
  /// The name with a suffix in its last component, before an extension that it has or will get.
  func with(suffix: String) -> OutputName {
    var parts = parts
    switch parts.last {
    case .fileExtension, .format:
      if parts.count >= 2, case .text(let text) = parts[parts.count - 2], text.last == "." {
        parts[parts.count - 2] = .text(text.dropLast() + suffix + ".")
      } else {
        parts.insert(.text(suffix), at: parts.count - 1)
      }
    case .text(let text):
      let (stem, tail) = Stem.split(text)
      parts[parts.count - 1] = .text(stem + suffix + (tail.map { "." + $0 } ?? ""))
    case .width, .height, nil:
      parts.append(.text(suffix))
    }
    return OutputName(parts: parts, ownExtension: ownExtension)
  }

  /// What is claimed: the name without its image extension, since which one it will have shows only later.
  var claim: String {
    var claim = ""
    for part in parts {
      switch part {
      case .text(let text): claim += text
      // No name holds NUL.
      case .width: claim += "\0w"
      case .height: claim += "\0h"
      case .format, .fileExtension: claim += "\0"
      }
    }
    let (stem, tail) = Stem.split(claim)
    return tail == nil ? claim : stem + ".\0"
  }
}
