import ImgfetchCore

/// What an output's name can be made of before the image is here.
struct NameSource: Sendable {
  /// The URL's last path segment, percent-decoded.
  let segment: String
  let host: String
  /// The URL's path, percent-encoded. Most runs name no output by it, and then it is never made.
  var path: String { url?.path ?? ownPath }
  private let url: WebURL?
  private let ownPath: String
  /// The hash of the cache key.
  let keyHash: ContentHash
  /// The key itself, as outputs carry it.
  let key: OutputKey
  /// Which line of the run it is, from 1.
  let index: Int

  init(segment: String, host: String, path: String, key: String, index: Int) {
    self.segment = segment
    self.host = host
    ownPath = path
    url = nil
    keyHash = ContentHash(of: key)
    self.key = OutputKey(of: key)
    self.index = index
  }

  init(_ url: WebURL, keyHash: ContentHash, key: OutputKey, index: Int) {
    segment = url.lastPathSegment
    host = url.host
    self.url = url
    ownPath = ""
    self.keyHash = keyHash
    self.key = key
    self.index = index
  }
}
