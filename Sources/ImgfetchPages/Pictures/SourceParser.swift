/// A reader of the text of one kind of source, in pieces of any size.
protocol SourceParser: Sendable {
  mutating func feed(_ text: Span<UInt8>)
  mutating func finish()
  /// Takes the findings since they were last taken.
  mutating func takeFindings() -> [SourceFinding]
  /// The reason why the text cannot be read to its end, or nil if it can. Known once it has ended.
  var fault: String? { get }
}

extension SourceParser {
  var fault: String? { nil }
}
