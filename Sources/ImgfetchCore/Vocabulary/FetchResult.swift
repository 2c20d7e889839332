/// The result of one request.
public struct FetchResult: Sendable {
  /// The request's ``FetchRequest/tag``.
  public var tag: Int
  /// The requested URL, without secrets.
  public var url: String
  /// The URL that answered, after redirects, or nil if none did.
  public var finalURL: String?
  /// The cache key: the canonical URL after the key filter.
  public var key: String
  /// The cache that the answer came from. ``CacheType/network`` also if there is no answer, because of an ``error``, or
  /// because none was needed, since the output exists.
  public var cache: CacheType {
    get { answerer ?? .network }
    set { answerer = newValue }
  }
  /// The source that has answered. Nil means that none has, which reports tell apart.
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
  /// The reason why the image could not be kept in the disk cache. Nil means that it was, or was not to be.
  package var cacheFailure: CacheWarning?
  /// True if the image came over the network and the cache had the same bytes before.
  package var isAsStored = false
  /// The time until which the stored image is served without asking, where a program has looked for it.
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
  /// The (stored) response's header fields, updated by the last revalidation.
  public var fields: HeaderFields? { fieldSource?.fields }
  package var fieldSource: FieldSource?
  /// The kind of addresses that answered on the way: what a page names is followed like a redirect of it.
  package var address = Provenance.Address.unknown
  /// Problems that did not prevent the answer, such as a cache that cannot be written.
  public var warnings: [String] = []

  /// True if a cache or the origin has answered, even with an error.
  package var isAnswer: Bool { error == nil || status != nil }

  /// Creates a result without an answer. Together with its properties, which can be set, it makes whatever result a
  /// program's own test needs.
  public init(tag: Int = 0, url: String, key: String) {
    self.tag = tag
    self.url = url
    self.key = key
  }
}

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

/// The source of an answer. Reports print these four words.
public enum CacheType: String, CaseIterable, Sendable {
  /// No cache: the network, or nothing at all if there is no answer. Reports print it as `none`.
  case network = "none"
  /// The memory of this process.
  case memory
  /// The cache's folder.
  case disk
  /// The cache that machines share, or a tier of the program's own.
  case remote
}

/// The addresses and hosts that an answer's bytes came from, as far as they are known. The rules about
/// addresses and hosts need them.
///
/// A pure value. Nearly every image comes from one host without a redirect. It then takes one byte and an empty array.
package struct Provenance: Hashable, Sendable {
  /// The kind of addresses that answered on the way. The numbers are part of the format.
  package enum Address: UInt8, CaseIterable, Sendable {
    /// Unknown: an older program stored it, or a proxy made the connections.
    case unknown = 0
    /// All are globally reachable.
    case allPublic = 1
    /// At least one is not.
    case notPublic = 2
    /// No address: the file was added by the user.
    case ownFile = 3
  }

  package var address: Address
  /// The other origins that were asked, without that of the final URL, each as a URL begins (`https://example.org`), or
  /// nil if unknown.
  package var otherOrigins: [String]?

  /// Creates an unknown provenance.
  package init() { self.init(.unknown, otherOrigins: nil) }

  package init(_ address: Address, otherOrigins: [String]?) {
    self.address = address
    self.otherOrigins = otherOrigins
  }
}

extension Provenance.Address {
  /// Creates the kind of an address that answered. With nil it is unknown which one did.
  init(of address: IPAddress?) {
    self = address.map { AddressClass.isGloballyReachable($0) ? .allPublic : .notPublic } ?? .unknown
  }

  /// The kind of a path that continues over such an address.
  func followed(by next: Self) -> Self {
    if self == .notPublic || next == .notPublic { return .notPublic }
    return self == .unknown || next == .unknown ? .unknown : next
  }
}

extension Provenance {
  /// The provenance of stored bytes after an answer has confirmed or completed them, and its fields are stored with
  /// them. The answer vouches for bytes of unknown provenance. For others, the knowledge about their path remains.
  func confirmed(by answer: Provenance) -> Provenance {
    let address = address == .unknown ? answer.address : address.followed(by: answer.address)
    guard let others = answer.otherOrigins else { return Provenance(address, otherOrigins: nil) }
    let own = otherOrigins ?? []
    if others.isEmpty { return Provenance(address, otherOrigins: own) }
    return Provenance(address, otherOrigins: own + others.filter { !own.contains($0) })
  }
}

/// An event in the course of requests and downloads, for progress displays and logs.
///
/// The events of one flight (a download) are in order. Events of different flights may arrive on different threads.
public enum FetchEvent: Sendable {
  /// A download begins, or begins again if this is not the first attempt.
  case started(flight: UInt64, url: String, attempt: Int)
  /// The head of an answer has arrived. `total` is the body's length, or nil if the server does not send it; `already`
  /// is how much of it an earlier attempt has left.
  case responded(flight: UInt64, status: Int, total: Int64?, already: Int64)
  /// The number of body bytes received so far; `total` is the whole body's, or nil if the server does not send it. It
  /// comes with the head of each answer that is taken, and as bytes come.
  case progressed(flight: UInt64, url: String, received: Int64, total: Int64?)
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

/// Closures that a fetcher calls while it works. They are called on the fetcher's threads and should not
/// block. Each is nil by default.
public struct FetchHooks: Sendable {
  /// Called with sentences that the user should read.
  public var warn: (@Sendable (String) -> Void)?
  /// Called with sentences about a cache that cannot be used or has a problem. If it is nil, ``warn`` is called
  /// instead.
  public var warnOfCache: (@Sendable (String) -> Void)?
  /// Called for each event of a request or a flight.
  public var events: (@Sendable (FetchEvent) -> Void)?
  /// True if ``FetchEvent/headers(url:lines:)`` is among the events. The default is false: formatting header fields
  /// costs more than all other events.
  public var tellsHeaders = false
  /// Called after answers were delivered, when no disk work waits: the time to flush buffers.
  public var whenIdle: (@Sendable () -> Void)?
  /// Called before the first request to the network.
  public var whenOnline: (@Sendable () -> Void)?

  // For programs that decide, and that measure.

  /// Called with each request before anything else is done with it, to change it: to add header fields, say. A field
  /// with another value for each request keeps each image apart, so that none is found again; ``FetchOptions/headers``
  /// names those that do not.
  public var prepare: (@Sendable (inout FetchRequest) -> Void)?
  /// The cache key for a URL, in place of the canonical URL, or nil to keep that. Two URLs with one key are one image.
  public var key: (@Sendable (WebURL) -> String?)?
  /// Decides whether the network may be asked, a cache that machines share included, if no cache here has a fresh
  /// answer. If it may not, the request fails with ``FetchError/Kind/offline``.
  public var mayDownload: (@Sendable (FetchRequest) -> Bool)?
  /// Called when a download is about to ask the request's origin, after the caches had no answer: It calls back once,
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
  /// Called before a request goes to another place than the given URL, where a redirect or a mirror leads, with that
  /// place and the key of the image. It calls back once, from any thread, with the reason why the place may not be
  /// asked, or nil if it may. Nil by default.
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
