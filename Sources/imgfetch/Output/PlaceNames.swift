import ImgfetchCore

/// The names of images that depend on the places of their lines in the list (`{index}`, `{line}`).
///
/// The list of failures keeps them: the next run reads those lines at other places, where their names would be those of
/// other images, whose files it would replace.
struct PlaceNames: Sendable {
  private let template: OutputTemplate
  private let keyFilter: KeyFilter
  /// The day on which the run began.
  private let date: String

  /// Returns nil if no name depends on a place.
  init?(_ settings: Settings) {
    guard settings.product == .outputs, settings.output.single == nil, let text = settings.output.nameTemplate,
      case let template = OutputTemplate(text), template.dependsOnPlace
    else { return nil }
    self.template = template
    keyFilter = settings.fetch.keyFilter
    // The time zone is read from files.
    date = text.holds("{date") ? SystemClock().wallTime().localDay : ""
  }

  /// The name of a line's image without its extension; nil if the line gives a name, or the name depends on the image.
  ///
  /// - Parameters:
  ///   - index: the number of the line in the run.
  ///   - number: the number of the line in its list; nil for an operand.
  func stem(of line: [UInt8], index: Int, number: Int?) -> String? {
    guard let line = try? InputLine(line[...]), line.name == nil, line.stem == nil else { return nil }
    let key = keyFilter.key(for: line.url)
    let source = NameSource(
      line.url, key: key, keyHash: ContentHash(of: key.utf8Span.span), index: index, line: number, id: line.tag.id,
      date: date)
    let own = Stem(segment: source.segment)
    let name = OutputName(parts: template.parts(for: source, stem: own), ownExtension: own.imageExtension)
    return name.stem.flatMap { $0.isEmpty ? nil : $0 }
  }
}
