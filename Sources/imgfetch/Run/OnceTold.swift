import ImgfetchCore

/// Remarks that a user gets once, and not in each run: an empty file in the cache's folder records them.
enum OnceTold {
  /// True the first time, which is recorded. Without a cache nothing can be recorded, and the remark is left out.
  static func isFirstTime(_ name: String, in cacheFolder: String?) -> Bool {
    guard let cacheFolder else { return false }
    let file = "\(cacheFolder)/v1/told-\(name)"
    do throws(SystemError) {
      _ = try Descriptor.open(file, [.write, .create, .exclusive, .noFollow], mode: 0o600)
      return true
    } catch { return false }
  }
}
