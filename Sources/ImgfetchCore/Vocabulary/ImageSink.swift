/// A destination for images: a file, a pipe, a program's own memory.
///
/// Called on the fetcher's disk threads, for several images at once. It may block; other images then wait.
public protocol ImageSink: Sendable {
  /// Takes the image and returns where it went. A thrown error becomes the request's error.
  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery
}

/// Earlier versions of an image, and its source, for sinks that keep files.
package struct ImageHistory: Sendable {
  /// The hashes of the earlier bodies of its entry in the cache, the last one first.
  package var earlier: [ContentHash] = []
  /// The image of another format that this one, or its source, has just replaced in the cache, if any.
  package var superseded: SupersededImage?
  /// The source of a derived image, or nil for the original.
  package var origin: OutputOrigin?
  /// The URL that answered, without a password.
  package var finalURL = ""

  package init() {}
}
