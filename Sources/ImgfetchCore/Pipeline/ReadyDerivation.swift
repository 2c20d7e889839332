/// A derived image that was made when its source came.
struct ReadyDerivation: Sendable {
  let signature: UInt64
  let image: InspectedImage
}
