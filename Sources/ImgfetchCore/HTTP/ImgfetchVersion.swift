/// The version of the program and the library.
public enum ImgfetchVersion {
  /// The version that `imgfetch --version` prints. This is its only place; a test compares it with
  /// CHANGELOG.md and README.md.
  public static let number = "2.0.0"
  /// The name by which robots.txt and X-Robots-Tag may call this program, in lower case.
  public static let productToken = "imgfetch"
}
