import ImgfetchCore

/// One picture that a source names: all its addresses there, and its description.
package struct PageImage: Sendable, Equatable {
  /// The place in a source that a picture has; options choose by it.
  package enum Kind: String, Sendable, CaseIterable {
    /// A picture of the page itself.
    case image
    /// A link to a picture.
    case link
    /// A picture that the page names for previews (`og:image`, JSON-LD).
    case meta
    /// An icon of the site.
    case icon
    /// A background, a list mark or another picture of a style sheet.
    case style
    /// A picture of an entry in a feed, a site map, a manifest or a table.
    case feed
  }

  /// One address of the picture, as it is written in the source.
  package struct Candidate: Sendable, Equatable {
    package var reference: [UInt8]
    /// The width in pixels that the source promises.
    package var width: Int?
    /// The pixels for each unit of the layout.
    package var density = 1.0
    /// The format's media type, where the source names it.
    package var type: [UInt8]?
    /// Another address of the same pixels, for a server that does not know this one.
    package var fallback: [UInt8]?
    /// The order among candidates of one size: a lazy attribute comes before `src`, where a placeholder stands.
    var rank = Rank.source

    /// The part of an address that is kept. A longer one can be no URL, and an image in a page is counted alone.
    static func kept(_ reference: ArraySlice<UInt8>) -> [UInt8] { Array(reference.prefix(longest)) }

    private static let longest = WebURL.lengthLimit + 1

    enum Rank: Int, Sendable {
      case source, placeholder, own, lazy
    }
  }

  package var kind: Kind
  package var candidates: [Candidate]
  /// The source's own name for the picture, which can become that of a file.
  package var label: [UInt8]?
  package var alt: [UInt8]?
  package var title: [UInt8]?
  package var caption: [UInt8]?
  /// True if the source calls this text the picture's caption; else it belongs to what is around the picture.
  package var hasOwnCaption = false
  package var width: Int?
  package var height: Int?
  /// True for a link that shows the picture to which it leads.
  var isShownHere = false

  package init(_ kind: Kind, _ candidates: [Candidate]) {
    self.kind = kind
    self.candidates = candidates
  }

  /// Describes the picture with what a record or a row of a table has under certain names.
  mutating func describe(_ text: (String) -> [UInt8]?) {
    alt = text("alt").flatMap { TextBytes.words($0[...]) }
    title = text("title").flatMap { TextBytes.words($0[...]) }
    caption = text("caption").flatMap { TextBytes.words($0[...]) }
    hasOwnCaption = caption != nil
    width = text("width").flatMap { Srcset.whole($0[...]) }
    height = text("height").flatMap { Srcset.whole($0[...]) }
  }

  /// True for a link to an address.
  func leads(to address: [UInt8]) -> Bool { kind == .link && candidates.first?.reference == address }

  /// Notes that the link shows the picture to which it leads, whose words are its own as far as it has none.
  mutating func show(_ picture: borrowing PageImage) {
    isShownHere = true
    alt = alt ?? picture.alt
    title = title ?? picture.title
  }

  init(_ kind: Kind, _ reference: ArraySlice<UInt8>) { self.init(kind, [Candidate(reference: Array(reference))]) }

  /// The candidate with the most pixels: by its width, then by its density. Among equals the format of the picture's
  /// own address counts, then that address, then the first.
  package var largest: Candidate? {
    guard !candidates.isEmpty else { return nil }
    var best = 0
    for index in candidates.indices.dropFirst() where isLarger(index, than: best) { best = index }
    return candidates[best]
  }
}

extension PageImage {
  /// Compares two candidates by their indices: a page has thousands, and a copy of one costs more than the comparison.
  private func isLarger(_ index: Int, than best: Int) -> Bool {
    let (width, its) = (candidates[index].width, candidates[best].width)
    if let width, let its, width != its { return width > its }
    // An address without a width is the small one beside those that name theirs.
    if (width == nil) != (its == nil) { return width != nil }
    if candidates[index].density != candidates[best].density {
      return candidates[index].density > candidates[best].density
    }
    if let own = candidates.first(where: { $0.rank == .own }).flatMap(ReferenceFormat.init) {
      let (mine, its) = (ReferenceFormat(candidates[index]) == own, ReferenceFormat(candidates[best]) == own)
      if mine != its { return mine }
    }
    return candidates[index].rank.rawValue > candidates[best].rank.rawValue
  }
}

extension PageImage.Candidate {
  /// Creates a candidate of an attribute's value, without the white space around it.
  init(trimming reference: ArraySlice<UInt8>, _ rank: Rank) {
    self.init(reference: Self.kept(TextBytes.trimmed(reference)))
    self.rank = rank
  }
}
