/// The version of the program and the library.
public enum ImgfetchVersion {
  /// As `imgfetch --version` prints it. The only place that has it; a test compares it with CHANGELOG.md and README.md.
  public static let number = "1.0.0"
  /// The name by which robots.txt and X-Robots-Tag may call this program, in lower case.
  public static let productToken = "imgfetch"
}
