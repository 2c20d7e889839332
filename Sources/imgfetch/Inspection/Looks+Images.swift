import ImgfetchCore
import ImgfetchReport

extension DuplicateRule {
  /// The rule for looks, or nil if bytes decide.
  var looks: LooksRule? { if case .looks(let rule) = self { rule } else { nil } }

  /// The fingerprints that it takes.
  var details: ImageDetailSet { looks == nil ? ImageDetailSet() : ImageDetailSet([.dhash, .phash, .blurhash]) }
}

extension Looks {
  /// The looks of an image by its fingerprints; nil where they were not worked out.
  init?(_ details: ImageDetails?, _ facts: ImageFacts?) {
    guard let details, let facts, let dhash = details.text(of: .dhash), let phash = details.text(of: .phash) else {
      return nil
    }
    self.init(
      dhash: dhash, phash: phash, blurhash: details.text(of: .blurhash), width: facts.width, height: facts.height)
  }

  init?(_ file: InspectedFile) { self.init(file.details, file.facts) }
}
