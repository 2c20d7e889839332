import ImgfetchCore

extension FetchError {
  /// A damaged cache entry is the cache's failure, and one that cannot be read is the disk's: in both cases the image
  /// can be fetched again. Other failures concern the output file.
  init(_ failure: OutputFailure, for url: String) {
    switch failure {
    case .damaged: self.init(.damaged, url, failure.reason, isTransient: true)
    case .source: self.init(.file, url, failure.reason, isTransient: true, cause: Cause(errno: failure.code))
    case .file(let path, _), .isFolder(let path), .isTaken(let path):
      self.init(.file, path, failure.reason, cause: Cause(errno: failure.code))
    }
  }
}
