import ImgfetchCore

/// A value that is one of a few words. Help, completions and errors list them.
protocol Choice: CaseIterable, Hashable, Sendable {
  var word: String { get }
}

extension Choice {
  static var words: [String] { allCases.map(\.word) }
}

extension Choice where Self: RawRepresentable<String> {
  var word: String { rawValue }
}
