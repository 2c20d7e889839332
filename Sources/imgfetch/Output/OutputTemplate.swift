import ImgfetchCore

/// The template of `--name`: names outputs by fields of the URL and the image.
struct OutputTemplate: Sendable {
  enum Field: String, Sendable, CaseIterable {
    case name, ext, host, path, query, key, index, line, id, date, width, height, format, sha256
    case thumbhash, blurhash, dhash, phash

    /// The fingerprint that the field shows; nil for other fields.
    var fingerprint: ImageDetail? { ImageDetail.fingerprints.first { $0.name == rawValue } }
  }

  private let template: Template<Field>

  /// A template that was checked by the settings. The resulting paths are confined all the same, see ``OutputName``.
  init(_ text: String) { template = Template(text) }

  /// True if names identify the image by its URL, so that the same URL has the same name in every run.
  var isMadeOfURL: Bool {
    template.pieces.contains { piece in
      switch piece {
      case .field(.name, _), .field(.path, _), .field(.query, _), .field(.key, _): true
      case .field, .text: false
      }
    }
  }

  /// True if names depend on the places of their lines in the list, so that the list of failures keeps them.
  var dependsOnPlace: Bool {
    template.pieces.contains { piece in
      switch piece {
      case .field(.index, _), .field(.line, _): true
      case .field, .text: false
      }
    }
  }

  /// The fingerprints that its names need.
  var fingerprints: ImageDetailSet {
    ImageDetailSet(
      template.pieces.compactMap { piece in
        if case .field(let field, _) = piece { field.fingerprint } else { nil }
      })
  }

  /// The parts of a name, with adjacent texts joined.
  func parts(for source: NameSource, stem: Stem) -> [OutputName.Part] {
    var parts: [OutputName.Part] = []
    var text = ""
    func appendPart(_ part: OutputName.Part?) {
      if !text.isEmpty { parts.append(.text(text)) }
      text = ""
      if let part { parts.append(part) }
    }
    // True after a field that had nothing, at the beginning of a component.
    var isNameless = false
    for piece in template.pieces {
      let isAtBeginning = text.isEmpty ? parts.isEmpty : text.endsInSlash
      let (length, count) = (text.utf8.count, parts.count)
      defer { isNameless = isAtBeginning && text.utf8.count == length && parts.count == count }
      switch piece {
      case .text(let literal):
        // An extension alone would be the name of a hidden file.
        if isNameless, literal.utf8.first == UInt8(ascii: ".") { text += Stem.nameless }
        text += literal
      case .field(.name, _): text += stem.text
      case .field(.host, _): text += SafeName.component(source.host)
      case .field(.path, _): text += OutputTemplate.folders(of: source.path)
      case .field(.key, _): text += source.keyHash.hex
      case .field(.query, _): text += SafeName.component(escaped: source.query)
      case .field(.index, let digits): text += TemplateField.padded(source.index, digits: digits)
      case .field(.line, let digits): text += TemplateField.padded(source.line ?? source.index, digits: digits)
      case .field(.id, _): text += SafeName.component(source.id ?? "")
      case .field(.date, _): text += source.date
      case .field(.ext, _): appendPart(.fileExtension)
      case .field(.width, _): appendPart(.width)
      case .field(.height, _): appendPart(.height)
      case .field(.format, _): appendPart(.format)
      case .field(.sha256, _): appendPart(.sha256)
      case .field(let field, _):
        if let fingerprint = field.fingerprint { appendPart(.fingerprint(fingerprint)) }
      }
    }
    appendPart(nil)
    return NameLength.fitted(parts)
  }

  /// The folders of a URL's path, each made safe, without the last segment: `{host}/{path}/{name}.{ext}` mirrors a
  /// site.
  private static func folders(of path: String) -> String {
    path.pathParts(omittingEmpty: false).dropLast()
      .map { SafeName.component(escaped: $0) }
      .filter { !$0.isEmpty }
      .joined(separator: "/")
  }
}

/// Shortens names to what file systems accept: several fields together may exceed the length of a path component, also
/// around parts that depend on the image.
enum NameLength {
  /// The parts with no component too long: the longest texts are cut to the same length.
  static func fitted(_ parts: [OutputName.Part]) -> [OutputName.Part] {
    // Nearly all names fit.
    if parts.reduce(0, { $0 + ($1.textLength ?? $1.unknownLength) }) <= NameRoom.bytes { return parts }
    return joined(components(of: parts).map(cut))
  }

  private static func components(of parts: [OutputName.Part]) -> [[OutputName.Part]] {
    var components: [[OutputName.Part]] = [[]]
    for part in parts {
      guard case .text(let text) = part else {
        components[components.count - 1].append(part)
        continue
      }
      for (index, piece) in text.pathParts(omittingEmpty: false).enumerated() {
        if index > 0 { components.append([]) }
        if !piece.isEmpty { components[components.count - 1].append(.text(String(piece))) }
      }
    }
    return components
  }

  private static func cut(_ component: [OutputName.Part]) -> [OutputName.Part] {
    let lengths = component.compactMap(\.textLength)
    let left = NameRoom.bytes - component.reduce(0) { $0 + ($1.textLength == nil ? $1.unknownLength : 0) }
    func fits(_ most: Int) -> Bool { lengths.reduce(0) { $0 + min($1, most) } <= left }
    // The check of the template leaves room for a byte of each text.
    guard !fits(.max), let most = (1...NameRoom.bytes).last(where: fits) else { return component }
    return component.map { part in
      guard case .text(let text) = part, text.utf8.count > most else { return part }
      // A final dot belongs to the extension.
      let isBeforeExtension = text.endsInDot
      let stem =
        isBeforeExtension ? SafeName.cut(String(text.withoutLastByte), to: most - 1) : SafeName.cut(text, to: most)
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
  fileprivate var unknownLength: Int {
    switch self {
    case .fingerprint(let kind): NameRoom.length(of: kind)
    case .sha256: NameRoom.digest
    case .width, .height: NameRoom.pixels
    case .format: NameRoom.format
    case .fileExtension, .text: NameRoom.fileExtension
    }
  }

  /// The length of a fixed text; nil for a part that depends on the image.
  fileprivate var textLength: Int? { if case .text(let text) = self { text.utf8.count } else { nil } }
}
