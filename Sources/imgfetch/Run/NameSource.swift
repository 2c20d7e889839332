import ImgfetchCore

/// What an output's name can be made of before the image is here.
struct NameSource: Sendable {
  /// The URL's last path segment, percent-decoded.
  let segment: String
  let host: String
  /// The URL's path, percent-encoded.
  let path: String
  /// The hash of the cache key.
  let keyHash: ContentHash
  /// Which line of the run it is, from 1.
  let index: Int

  init(segment: String, host: String, path: String, keyHash: ContentHash, index: Int) {
    self.segment = segment
    self.host = host
    self.path = path
    self.keyHash = keyHash
    self.index = index
  }

  init(_ url: WebURL, keyHash: ContentHash, index: Int) {
    self.init(segment: url.lastPathSegment, host: url.host, path: url.path, keyHash: keyHash, index: index)
  }
}
