/// The result of walking a complete body.
package enum InspectionVerdict: Sendable {
  /// Every pixel is there, as far as the structure shows; the facts have the flaws.
  case accepted(ImageFacts)
  /// The image has every pixel only if decoding finds all of them. Then the facts hold, else the failure.
  case doubtful(ImageFacts, InspectionFailure)
}
