/// Decides which caches are read, when the origin is asked, and whether the answer is kept.
public enum CachePolicy: String, CaseIterable, Sendable {
  /// Serves from memory and disk up to the maximum age, then revalidates. The default.
  case age
  /// Serves while the stored answer is fresh by RFC 9111, as a private cache, then revalidates.
  case http
  /// Always revalidates. Requests for one image share an answer only while that is on its way; in a run of
  /// imgfetch once is enough.
  case refresh
  /// Always fetches from the origin without a condition. Requests for one image share an answer as under ``refresh``.
  case reload
  /// Serves from memory and disk, whatever the age. Never asks the origin.
  case only
  /// Serves from memory, else fetches. Keeps nothing beyond this process.
  case memory
  /// Always fetches and keeps nothing.
  case off

  package var asksOrigin: Bool { self != .only }
  /// True if an entry on disk may be used, at once or after revalidation.
  package var readsDisk: Bool { [.age, .http, .refresh, .only].contains(self) }
  package var storesOnDisk: Bool { [.age, .http, .refresh, .reload].contains(self) }
  package var storesInMemory: Bool { storesOnDisk || self == .memory }
  /// True if an image that was read from disk answers from memory the next time.
  package var keepsReadInMemory: Bool { storesInMemory || self == .only }
}
