/// The result of one request.
public struct FetchResult: Sendable {
  /// The request's ``FetchRequest/tag``.
  public var tag: Int
  /// The requested URL, without secrets.
  public var url: String
  /// The URL that answered, after redirects. Of a failure, the URL that was asked last. Nil if none has answered, not
  /// even with a redirect.
  public var finalURL: String?
  /// The cache key: the canonical URL after the key filter.
  public var key: String
  /// The cache that the answer came from. ``CacheType/network`` also if there is no answer, because of an ``error``, or
  /// because none was needed, since the output exists.
  public var cache: CacheType {
    get { answerer ?? .network }
    set { answerer = newValue }
  }
  /// The source of the answer. Nil means that there is none, which reports distinguish from the network.
  package var answerer: CacheType?
  /// The origin has confirmed the stored image (304).
  public var isRevalidated = false
  /// The answer came from another request's download.
  public var isShared = false
  /// The stored image was too old and the origin could not be reached, so it was served all the same.
  public var isStale = false
  /// The HTTP status of the (stored) answer.
  public var status: Int?
  /// The media type according to the bytes, or according to the server if they were not inspected.
  public var mime: String?
  /// The facts about the image, or nil if it was not inspected.
  public var facts: ImageFacts?
  /// The details that ``FetchOptions/details`` asks for, of the image as it was fetched.
  public var details: ImageDetails?
  /// The image as it was fetched, if another one was made from it and delivered instead.
  public var source: SourceImage?
  /// The reason why the image could not be kept in the disk cache. Nil means that it was kept, or was not meant to be.
  package var cacheFailure: CacheWarning?
  /// True if the image came over the network and the cache had the same bytes before.
  package var isAsStored = false
  /// The time until which the stored image is served without asking, if a program has looked it up.
  package var freshUntil: WallTime?
  /// The number of bytes that were delivered.
  public var bytes: Int64?
  /// The SHA-256 of the delivered bytes, if ``FetchOptions/reportsChecksum`` asks for it.
  public var sha256: [UInt8]?
  /// The number of body bytes that came over the network for this answer.
  public var downloaded: Int64 = 0
  /// The time from the request to the answer.
  public var elapsedMilliseconds: Double = 0
  /// The part of that time before the first request was sent, or before a cache answered.
  public var queuedMilliseconds: Double = 0
  /// The time at which the request was submitted, or nil if that was not necessary.
  package var begun: Instant?
  /// The number of requests that were sent, without those for redirects.
  public var attempts = 0
  /// The name of the output, according to the sink.
  public var output: String?
  /// True if the sink wrote anything new.
  public var isOutputNew = false
  /// The change to the file, according to the sink. Nil means that there is no file, or that the sink does not say.
  public var written: OutputChange?
  /// The URL of the image that was delivered in place of this one, because both are the same, or nil if this one was.
  package var duplicateOf: String?
  /// The reason why there is no image.
  public var error: FetchError?
  /// The URL that failed, without secrets, if a redirect or a mirror has led to another than the requested one.
  package var failedURL: String?
  /// The (stored) response's header fields, updated by the last revalidation.
  public var fields: HeaderFields? { fieldSource?.fields }
  package var fieldSource: FieldSource?
  /// The kind of addresses that answered on the way. It matters for a page, whose links are followed like redirects.
  package var address = Provenance.Address.unknown
  /// Problems that did not prevent the answer, such as a cache that cannot be written.
  public var warnings: [String] = []

  /// True if a cache or the origin has answered, even with an error.
  package var isAnswer: Bool { error == nil || status != nil }

  /// Creates a result without an answer. With its properties, which can be set, a program's own test can make any
  /// result.
  public init(tag: Int = 0, url: String, key: String) {
    self.tag = tag
    self.url = url
    self.key = key
  }
}
