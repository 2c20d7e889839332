/// A reader of a kind that names nothing but pictures.
protocol PictureParser: SourceParser {
  mutating func takeFound() -> [PageImage]
}

extension PictureParser {
  mutating func takeFindings() -> [SourceFinding] { takeFound().map { .image($0) } }
}
