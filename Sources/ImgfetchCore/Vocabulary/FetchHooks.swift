/// Closures that a fetcher calls while it works. They are called on the fetcher's threads and should not
/// block. Each is nil by default.
public struct FetchHooks: Sendable {
  /// Called with sentences that the user should read. Those about one answer are in ``FetchResult/warnings``.
  public var warn: (@Sendable (String) -> Void)?
  /// Called with sentences about a cache that cannot be used or has a problem. If it is nil, ``warn`` is called
  /// instead.
  public var warnOfCache: (@Sendable (String) -> Void)?
  /// Called for each event of a request or a flight.
  public var events: (@Sendable (FetchEvent) -> Void)?
  /// True if ``FetchEvent/headers(url:lines:)`` is among the events. The default is false: formatting header fields
  /// costs more than all other events.
  public var tellsHeaders = false
  /// Called after answers were delivered, when no disk work waits: a good time to flush buffers.
  public var whenIdle: (@Sendable () -> Void)?
  /// Called before the first request to the network.
  public var whenOnline: (@Sendable () -> Void)?

  // For programs that make decisions, or measure.

  /// Called with each request before anything else is done with it, to change it: to add header fields, for example. A
  /// field whose value differs in each request keeps each image apart, so that none is found again;
  /// ``FetchOptions/headers`` names the fields that do not.
  public var prepare: (@Sendable (inout FetchRequest) -> Void)?
  /// The cache key for a URL, in place of the canonical URL, or nil to keep that. Two URLs with one key are one image.
  public var key: (@Sendable (WebURL) -> String?)?
  /// Decides whether the network may be asked, a cache that machines share included, if no cache here has a fresh
  /// answer. If it may not, the request fails with ``FetchError/Kind/offline``.
  public var mayDownload: (@Sendable (FetchRequest) -> Bool)?
  /// Called when a download is about to ask the request's origin, after the caches had no answer. It calls back once,
  /// from any thread, with header fields to add for the origin of the request's URL, such as a token that had to be
  /// fetched first. A failure fails the requests. The added fields do not change the key of the answer. Nil by default.
  /// ``awaitBeforeAsking(_:)`` sets it to a closure that awaits.
  public var beforeAsking:
    (
      @Sendable (
        FetchRequest, _ done: @escaping @Sendable (Result<[(name: String, value: String)], FetchError>) -> Void
      )
        -> Void
    )?
  /// Called before a request goes to another URL than the given one, the target of a redirect or a mirror, with that
  /// URL and the key of the image. It calls back once, from any thread, with the reason why the URL may not be asked,
  /// or nil if it may. Nil by default.
  package var mayGoOn: (@Sendable (WebURL, _ key: String, _ done: @escaping @Sendable (FetchError?) -> Void) -> Void)?
  /// Decides whether a downloaded image is kept in the caches that the request's policy allows. An image that is not
  /// kept replaces nothing, and an earlier one is dropped. The image is delivered either way. Called with its facts,
  /// which are nil under ``Verification/none``, and the answer's header fields. Without this hook, all images are kept.
  public var mayStore: (@Sendable (FetchRequest, ImageFacts?, HeaderFields) -> Bool)?
  /// Makes the bytes that are stored and delivered in place of a downloaded image's, or returns nil to leave the image
  /// as it came. The bytes must be an image, else the original is kept, with a warning. Checksums are those of the new
  /// bytes. The hook may take long. It is not called under ``Verification/none``, nor under ``CachePolicy/http``, which
  /// keeps the origin's own bytes.
  public var beforeStoring: (@Sendable ([UInt8], ImageFacts) -> [UInt8]?)?
  /// Decides whether a URL that failed for good with this error is not requested again by this fetcher. Without
  /// this hook, no such URL is.
  public var remembersFailure: (@Sendable (FetchError) -> Bool)?
  /// Called with each result, before it is delivered.
  public var answered: (@Sendable (FetchResult) -> Void)?

  /// No hooks.
  public init() {}
}

extension FetchHooks {
  /// Reports header fields, if a listener wants them.
  func tellHeaders(of url: WebURL, _ lines: () -> [String]) {
    if tellsHeaders { events?(.headers(url: url.display, lines: lines())) }
  }
}
