/// The reason why a run cannot begin.
struct RunFailure: Error, Hashable {
  let message: String
  let exitCode: Int32
}
