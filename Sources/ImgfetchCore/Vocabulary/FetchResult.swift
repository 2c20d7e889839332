/// What became of one request.
public struct FetchResult: Sendable {
  /// The asker's own number.
  public var tag: Int
  /// The URL that was asked for, without secrets.
  public var url: String
  /// The URL that answered, after redirects; nil if none did.
  public var finalURL: String?
  /// The cache key: the canonical URL after the key filter.
  public var key: String
  /// Which cache answered; nil: none did, and there is an ``error``; or nothing was asked for, since the output was there.
  public var cache: CacheType?
  /// The origin said that the stored image is still right.
  public var isRevalidated = false
  /// The answer rode on another asker's download.
  public var isShared = false
  /// The stored image was past its age, and the origin could not be reached.
  public var isStale = false
  /// The HTTP status of the (stored) answer.
  public var status: Int?
  /// The type of the bytes, as the bytes tell it (as the server said where they were not looked at).
  public var mime: String?
  /// What the image is; nil where nobody looked.
  public var facts: ImageFacts?
  /// What came, where something else was made of it and delivered in its place.
  public var source: SourceImage?
  /// Bytes of the image that was delivered.
  public var bytes: Int64?
  /// The SHA-256 of what was delivered, where ``FetchOptions/reportsChecksum`` asks for it.
  public var sha256: [UInt8]?
  /// Bytes of bodies that came over the network for this answer.
  public var downloaded: Int64 = 0
  /// From the asking to the answer.
  public var elapsedMilliseconds: Double = 0
  /// How much of that passed before its first request went out, or a cache answered.
  public var queuedMilliseconds: Double = 0
  /// When it was asked for; nil: there was no need to ask.
  package var begun: Instant?
  /// How many requests were sent, redirects not counted.
  public var attempts = 0
  /// Where the image went, in the sink's words.
  public var output: String?
  /// Whether the sink wrote anything that was not there before.
  public var isOutputNew = false
  /// Why there is no image.
  public var error: FetchError?
  /// The (stored) response's header fields, updated by the last revalidation.
  public var fields: HeaderFields? { fieldSource?.fields }
  package var fieldSource: FieldSource?
  /// What went well only in part: a stale answer, a cache that could not be written.
  public var warnings: [String] = []

  /// Whether a cache or the origin has said anything, be it a no.
  package var isAnswer: Bool { error == nil || status != nil }

  package init(tag: Int, url: String, key: String) {
    self.tag = tag
    self.url = url
    self.key = key
  }
}

/// An image as it came, of which another one was made.
///
/// In a place of its own: few results have one, and each is copied from hand to hand.
public final class SourceImage: Sendable {
  /// What it is.
  public let facts: ImageFacts
  /// Its bytes.
  public let bytes: Int64

  package init(facts: ImageFacts, bytes: Int64) {
    self.facts = facts
    self.bytes = bytes
  }
}
