/// An image as it was fetched, before another one was made from it.
///
/// A class, because results are copied often and few have one.
public final class SourceImage: Sendable {
  /// The facts about the image.
  public let facts: ImageFacts
  /// The number of bytes.
  public let bytes: Int64
  /// The SHA-256 of its bytes, if ``FetchOptions/reportsChecksum`` asks for it.
  public let sha256: [UInt8]?

  package init(facts: ImageFacts, bytes: Int64, sha256: [UInt8]? = nil) {
    self.facts = facts
    self.bytes = bytes
    self.sha256 = sha256
  }
}
