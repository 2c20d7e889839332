/// The reason why an image of the program's own format is not accepted.
struct OwnFormatFailure: Error {
  let reason: String
  var isTooLarge = false
}
