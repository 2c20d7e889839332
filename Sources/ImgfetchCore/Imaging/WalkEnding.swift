/// The state of the walk at the body's end.
enum WalkEnding: Sendable {
  case complete
  /// The file has its end. The failure applies if decoding finds that pixels are missing.
  case doubtful(InspectionFailure)
  /// The image lacks only its end mark, as far as can be told without decoding. The failure is for the
  /// case that more is missing.
  case withoutMark(InspectionFailure)
}
