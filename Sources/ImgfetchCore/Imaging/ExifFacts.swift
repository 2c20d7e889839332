/// The facts that a camera recorded about a picture, as far as users ask for them. Facts that the file lacks are nil.
public struct ExifFacts: Hashable, Sendable {
  /// Maker and model, as people say it: the maker once.
  public package(set) var camera: String?
  /// The lens.
  public package(set) var lens: String?
  /// The time at which it was taken, as ISO 8601 writes it; with fractions and an offset where the camera knew them.
  public package(set) var time: String?
  /// The turn that makes it upright, 1 to 8.
  public package(set) var orientation: Int?
  /// The time for which the shutter was open, in seconds.
  public package(set) var exposureSeconds: Double?
  /// The aperture, as a focal ratio.
  public package(set) var fNumber: Double?
  /// The sensitivity.
  public package(set) var iso: Int?
  /// The focal length in millimetres.
  public package(set) var focalLength: Double?
  /// The latitude at which it was taken, in degrees north.
  public package(set) var latitude: Double?
  /// Degrees east.
  public package(set) var longitude: Double?
  /// Metres above the sea.
  public package(set) var altitude: Double?
}
