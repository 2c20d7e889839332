/// A cache that several machines share: any web server that takes PUT. It is asked after memory and
/// disk and before the origin.
public struct RemoteCacheSettings: Sendable {
  /// The direction of use: reading, writing or both.
  public enum Mode: String, CaseIterable, Sendable {
    /// Images are looked for there, and put there.
    case both
    /// Images are looked for there.
    case read
    /// Images are put there.
    case write
  }

  /// The prefix of the objects' URLs: `URL/v1/NAMESPACE/ab/REST`. Its user info is the store's Basic credentials.
  public var url: WebURL
  /// The direction of use.
  public var mode: Mode
  /// The time limit for one answer, 2 s by default. After that the origin is asked.
  public var timeout = Duration.seconds(2)
  /// The time limit for a connection, half a second by default. A store that is not near is useless.
  public var connectTimeout = Duration.milliseconds(500)

  /// The store at `url`, to be read and written.
  public init(url: WebURL, mode: Mode = .both) {
    self.url = url
    self.mode = mode
  }
}
