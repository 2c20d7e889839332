/// The change to a file that an image was to go to.
public enum OutputChange: String, Sendable, CaseIterable {
  /// No file existed before.
  case new
  /// The file had other bytes.
  case changed
  /// The file had these bytes already, and was left as it is.
  case same
  /// The file existed, and was kept as it is.
  case kept
}
