import ImgfetchCore

/// The reason why no data set can be made: nothing was fetched.
struct PackFailure: Error {
  let message: String
  let exitCode: Int32
}
