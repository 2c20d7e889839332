import ImgfetchCore

/// The template of `--name`: how outputs are called, by fields of the URL and of the image.
struct OutputTemplate: Sendable {
  enum Field: String, Sendable, CaseIterable {
    case name, ext, host, path, key, index, width, height, format
  }

  private let template: Template<Field>

  /// A template that the settings have checked. What its fields make of it is confined all the same, see ``OutputName``.
  init(_ text: String) { template = Template(text) }

  /// Whether the names that it makes tell the image by its URL, so that the same URL has the same one in every run.
  var isMadeOfURL: Bool {
    template.pieces.contains { piece in
      switch piece {
      case .field(.name, _), .field(.path, _), .field(.key, _): true
      case .field, .text: false
      }
    }
  }

  /// The parts of a name: one text up to what only the image can tell.
  func parts(for source: NameSource, stem: Stem) -> [OutputName.Part] {
    var parts: [OutputName.Part] = []
    var text = ""
    func late(_ part: OutputName.Part?) {
      if !text.isEmpty { parts.append(.text(text)) }
      text = ""
      if let part { parts.append(part) }
    }
    for piece in template.pieces {
      switch piece {
      case .text(let literal): text += literal
      case .field(.name, _): text += stem.text
      case .field(.host, _): text += SafeName.component(source.host)
      case .field(.path, _): text += OutputTemplate.folders(of: source.path)
      case .field(.key, _): text += source.keyHash.hex
      case .field(.index, let digits): text += TemplateField.padded(source.index, digits: digits)
      case .field(.ext, _): late(.fileExtension)
      case .field(.width, _): late(.width)
      case .field(.height, _): late(.height)
      case .field(.format, _): late(.format)
      }
    }
    late(nil)
    return NameLength.fitted(parts)
  }

  /// The folders of a URL's path, each made safe, without the last segment: `{host}/{path}/{name}.{ext}` mirrors a site.
  private static func folders(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .map { SafeName.component(escaped: $0) }
      .filter { !$0.isEmpty }
      .joined(separator: "/")
  }
}
