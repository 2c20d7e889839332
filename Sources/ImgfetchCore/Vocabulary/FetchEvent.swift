/// What happens to requests and downloads in progress, for progress displays and logs.
///
/// The events of one flight (a download) are in order. Those of different flights may arrive on different threads.
public enum FetchEvent: Sendable {
  /// A download begins, or begins again if this is not the first attempt.
  case started(flight: UInt64, url: String, attempt: Int)
  /// The head of an answer has arrived. `total` is the body's length, or nil if the server does not send it; `already`
  /// is how much of it an earlier attempt has left.
  case responded(flight: UInt64, status: Int, total: Int64?, already: Int64)
  /// The number of body bytes received so far.
  case progressed(flight: UInt64, received: Int64)
  /// The answer is a redirect to another URL.
  case redirected(flight: UInt64, to: String)
  /// The download failed and is tried again after some time.
  case retrying(flight: UInt64, reason: String, milliseconds: Int)
  /// The download has ended, with or without success.
  case ended(flight: UInt64)
  /// The reason for a decision about a cached answer, in one line.
  case explained(url: String, String)
  /// The header fields of a request or an answer with secrets masked, as lines that begin with `> ` or `< `. Sent only
  /// if ``FetchHooks/tellsHeaders`` asks for them.
  case headers(url: String, lines: [String])
  /// A problem that did not prevent the answer.
  case warned(String)
}

/// Closures that a fetcher calls while it works. They are called on the fetcher's threads and should not block.
public struct FetchHooks: Sendable {
  /// Called with sentences that the user should read.
  public var warn: (@Sendable (String) -> Void)?
  /// Called with sentences about a cache that cannot be used or has a problem. If it is nil, ``warn`` is called
  /// instead.
  public var warnOfCache: (@Sendable (String) -> Void)?
  /// Called for each event of a request or a flight.
  public var events: (@Sendable (FetchEvent) -> Void)?
  /// Whether ``FetchEvent/headers(url:lines:)`` is among the events. Formatting header fields costs more than all other
  /// events.
  public var tellsHeaders = false
  /// Called after answers were delivered, when no disk work waits: the time to flush what was buffered.
  public var whenIdle: (@Sendable () -> Void)?
  /// Called before the first request to the network.
  public var whenOnline: (@Sendable () -> Void)?

  // For programs that decide, and that measure.

  /// Called with each request before anything else is done with it, to change it: to add header fields, say.
  public var prepare: (@Sendable (inout FetchRequest) -> Void)?
  /// The cache key for a URL, in place of the canonical URL; nil: as usual. Two URLs with one key are one image.
  public var key: (@Sendable (WebURL) -> String?)?
  /// Whether the network may be asked, a cache that machines share included, where no cache here has a fresh answer. If not, the
  /// request fails with ``FetchError/Kind/offline``.
  public var mayDownload: (@Sendable (FetchRequest) -> Bool)?
  /// Makes the bytes that are stored and delivered in place of a downloaded image's; nil: the image as it came. What it
  /// makes must be an image, else the image is kept as it came, with a warning. Checksums are those of what it makes. It
  /// may take long. Not called under ``Verification/none``, nor under ``CachePolicy/http``, which keeps what the origin sent.
  public var beforeStoring: (@Sendable ([UInt8], ImageFacts) -> [UInt8]?)?
  /// Whether a URL that failed for good with this error is not requested again by this fetcher. If this is nil, it is
  /// not.
  public var remembersFailure: (@Sendable (FetchError) -> Bool)?
  /// Called with each result, before it is delivered.
  public var answered: (@Sendable (FetchResult) -> Void)?

  /// No hooks.
  public init() {}
}
