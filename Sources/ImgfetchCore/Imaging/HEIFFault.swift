/// The reason why the tables of a HEIF file are impossible.
struct HEIFFault: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}
