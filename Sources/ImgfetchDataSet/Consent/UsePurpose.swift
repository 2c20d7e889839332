/// The use that images are fetched for. It decides which statements of owners count.
package enum UsePurpose: String, CaseIterable, Sendable {
  /// No stated purpose: every statement is reported, and none is asked for.
  case any
  /// The training of models.
  case training = "train-ai"
  /// A search index.
  case search
}
