/// How much there is: lengths of files as the file system says them, and their number.
package struct CacheUsage: Hashable, Sendable {
  package var bytes: Int64 = 0
  package var entries: Int64 = 0

  package init(bytes: Int64 = 0, entries: Int64 = 0) {
    self.bytes = bytes
    self.entries = entries
  }

  /// Whether a cache can hold that: numbers out of a file that something has happened to are seldom such. 64 GiB are more than an
  /// image has, and counting costs no more than time.
  package var isPlausible: Bool { bytes >= 0 && entries >= 0 && bytes >> 36 <= entries }

  package static func += (left: inout CacheUsage, right: CacheUsage) {
    // Wrapping: the numbers may come from a file that anything may have happened to.
    left.bytes &+= right.bytes
    left.entries &+= right.entries
  }

  package static func - (left: CacheUsage, right: CacheUsage) -> CacheUsage {
    CacheUsage(bytes: left.bytes &- right.bytes, entries: left.entries &- right.entries)
  }
}
