/// Reads a JSON text according to its kind: a IIIF manifest or collection, the `info.json` of a IIIF image, or any
/// other.
///
/// A manifest may say so only at its end; until then, the pictures of any other text wait.
struct JSONSource: SourceParser {
  private var images = JSONImages()
  private var manifest = IIIFManifest()
  /// The whole text, if it seems to be the description of one image.
  private var description: (reader: JSONReader, builder: JSONTreeBuilder, tree: JSONTree?)?
  private var ofManifest: [SourceFinding] = []
  private var ofOthers: [SourceFinding] = []
  private var isFinished = false
  /// True once so much waits that the text counts as any other, even if it says otherwise later.
  private var isOther = false

  /// The most pictures that wait for a text to say that it is a manifest, which has its context first.
  private static let mostWaiting = 2_048

  init(_ beginning: [UInt8]) {
    if Self.holds(beginning, "iiif.io/api/image"), !Self.holds(beginning, "iiif.io/api/presentation") {
      description = (JSONReader(), JSONTreeBuilder(), nil)
    }
  }

  private static func holds(_ text: [UInt8], _ words: String) -> Bool {
    let words = Array(words.utf8)
    return text.indices.contains { text[$0] == words[0] && text[$0...].starts(with: words) }
  }

  var fault: String? { images.fault }

  mutating func feed(_ bytes: Span<UInt8>) {
    images.feed(bytes)
    manifest.feed(bytes)
    if let description {
      self.description = nil
      var (reader, builder, tree) = description
      reader.feed(bytes) { event in
        if tree == nil { tree = builder.take(event) }
      }
      self.description = (reader, builder, tree)
    }
    gather()
  }

  mutating func finish() {
    gather()
    isFinished = true
  }

  private mutating func gather() {
    ofManifest += manifest.takeFound()
    ofOthers += images.takeFound().map { .image($0) }
    if manifest.isManifest != true, description == nil, max(ofOthers.count, ofManifest.count) > Self.mostWaiting {
      isOther = true
    }
  }

  /// Takes what has been found, as far as it is known which kind of text this is.
  mutating func takeFindings() -> [SourceFinding] {
    if manifest.isManifest == true, !isOther {
      defer { (ofManifest, ofOthers) = ([], []) }
      return ofManifest
    }
    guard isFinished || isOther else { return [] }
    defer { (ofManifest, ofOthers) = ([], []) }
    guard let tree = description?.tree, let candidate = IIIFManifest.candidate(ofService: tree) else { return ofOthers }
    var image = PageImage(.feed, [candidate])
    image.width = tree["width"]?.number
    image.height = tree["height"]?.number
    return [.image(image)]
  }
}
