/// Where an answer came from. Reports print these four words.
public enum CacheType: String, CaseIterable, Sendable {
  /// No cache: the network, or nothing at all if there is no answer.
  case none
  /// This process's memory.
  case memory
  /// The cache's folder.
  case disk
  /// The cache that machines share, or a tier of the program's own.
  case remote
}
