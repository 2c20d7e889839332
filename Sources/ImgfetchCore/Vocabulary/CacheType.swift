/// Where an answer came from. These three words are what is printed.
public enum CacheType: String, CaseIterable, Sendable {
  /// Over the network.
  case none
  /// From this process's memory.
  case memory
  /// From the cache's folder.
  case disk
}
