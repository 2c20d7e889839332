/// Sees to it that a file system takes what a template makes of a URL: several fields may be longer together than one component
/// of a path can be, also on both sides of what only the image can tell.
enum NameLength {
  /// The parts with no component too long: its longest texts are cut, all to one length.
  static func fitted(_ parts: [OutputName.Part]) -> [OutputName.Part] {
    // As nearly all do.
    if parts.reduce(0, { $0 + ($1.textLength ?? lateRoom) }) <= room { return parts }
    return joined(components(of: parts).map(cut))
  }

  /// File systems take 255 bytes. 33 are for the dash and the digits that tell this image from another of the same name.
  private static let room = 255 - 33
  /// What is not known yet takes at most so much: a number of pixels, a format's name, an extension.
  private static let lateRoom = 10

  private static func components(of parts: [OutputName.Part]) -> [[OutputName.Part]] {
    var components: [[OutputName.Part]] = [[]]
    for part in parts {
      guard case .text(let text) = part else {
        components[components.count - 1].append(part)
        continue
      }
      for (index, piece) in text.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
        if index > 0 { components.append([]) }
        if !piece.isEmpty { components[components.count - 1].append(.text(String(piece))) }
      }
    }
    return components
  }

  private static func cut(_ component: [OutputName.Part]) -> [OutputName.Part] {
    let lengths = component.compactMap(\.textLength)
    let left = room - (component.count - lengths.count) * lateRoom
    func fits(_ most: Int) -> Bool { lengths.reduce(0) { $0 + min($1, most) } <= left }
    // Where nothing is left for texts, the template itself is too long, and the run says so.
    guard !fits(.max), let most = (1...room).last(where: fits) else { return component }
    return component.map { part in
      guard case .text(let text) = part, text.utf8.count > most else { return part }
      // A dot at the end is an extension's.
      let isBeforeExtension = text.last == "."
      let stem = isBeforeExtension ? SafeName.cut(String(text.dropLast()), to: most - 1) : SafeName.cut(text, to: most)
      return .text(isBeforeExtension ? stem + "." : stem)
    }
  }

  private static func joined(_ components: [[OutputName.Part]]) -> [OutputName.Part] {
    var parts: [OutputName.Part] = []
    for part in components.joined(separator: [.text("/")]) {
      if case .text(let before) = parts.last, case .text(let text) = part {
        parts[parts.count - 1] = .text(before + text)
      } else {
        parts.append(part)
      }
    }
    return parts
  }
}

extension OutputName.Part {
  /// Nil: only the image can tell.
  fileprivate var textLength: Int? { if case .text(let text) = self { text.utf8.count } else { nil } }
}
