/// Where images go: a file, a pipe, a program's own memory.
///
/// Called on one of the fetcher's disk threads, for several images at once. It may block; other images wait meanwhile.
public protocol ImageSink: Sendable {
  /// Takes the image; the answer says where it went. What it throws becomes the request's error.
  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery
}

/// What a sink says of an image that it took.
public struct Delivery: Sendable {
  /// Where it went, as reports show it; nil where that has no name.
  public var output: String?
  /// Whether anything was written that was not there before.
  public var isNew: Bool

  /// A delivery to `output`.
  public init(output: String?, isNew: Bool) {
    self.output = output
    self.isNew = isNew
  }
}

/// An image on its way to those who asked for it: checked, and whole.
public final class DeliveredImage: Sendable {
  /// What it is; nil where nobody looked (``Verification/none``).
  public let facts: ImageFacts?
  /// The hash of its key in hex, as it is named in the cache.
  public var keyHash: String { key.hex }
  private let key: ContentHash
  /// The response's header fields.
  public var fields: HeaderFields { fieldSource.fields }
  private let fieldSource: FieldSource
  /// Its bytes.
  public let body: ImageBody

  package init(facts: ImageFacts?, key: ContentHash, fields: FieldSource, body: ImageBody) {
    self.facts = facts
    self.key = key
    fieldSource = fields
    self.body = body
  }
}
