/// How an image is looked for: which caches are read, when the origin is asked, and whether the answer is kept.
public enum CachePolicy: String, CaseIterable, Sendable {
  /// Memory and disk while younger than the maximum age; when older, the origin is asked with a condition. The default.
  case age
  /// While RFC 9111 calls the stored answer fresh, as a private cache; else the origin is asked with a condition.
  case http
  /// The origin is always asked, with a condition, once per key and run.
  case refresh
  /// The origin is always asked, plainly, once per key and run.
  case reload
  /// Memory and disk, whatever their age; the origin is never asked.
  case only
  /// Memory; the origin when it is not there. Nothing is kept beyond this process.
  case memory
  /// The origin is always asked and nothing is kept.
  case off

  package var asksOrigin: Bool { self != .only }
  /// Whether what lies on disk may be used without the origin having been asked in this run, or once it has said that it may.
  package var readsDisk: Bool { [.age, .http, .refresh, .only].contains(self) }
  package var storesOnDisk: Bool { [.age, .http, .refresh, .reload].contains(self) }
  package var storesInMemory: Bool { storesOnDisk || self == .memory }
}
