import ImgfetchCore

/// What a user is told once, and not by each run: an empty file in the cache's folder remembers it.
enum OnceTold {
  /// Whether it has not been told yet, which is noted. Without a cache nothing can be noted, and nothing is told.
  static func isFirstTime(_ name: String, in cacheFolder: String?) -> Bool {
    guard let cacheFolder else { return false }
    let file = "\(cacheFolder)/v1/told-\(name)"
    do throws(SystemError) {
      _ = try Descriptor.open(file, [.write, .create, .exclusive, .noFollow], mode: 0o600)
      return true
    } catch { return false }
  }
}
