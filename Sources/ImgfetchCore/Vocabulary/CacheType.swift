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
