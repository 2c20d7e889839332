/// An amount: the total length of files and their number.
package struct CacheUsage: Hashable, Sendable {
  package var bytes: Int64 = 0
  package var entries: Int64 = 0

  package init(bytes: Int64 = 0, entries: Int64 = 0) {
    self.bytes = bytes
    self.entries = entries
  }

  /// True if a cache can hold that much. Numbers from a corrupted file rarely pass. No image has 64 GiB, and counting
  /// again costs no more than time.
  package var isPlausible: Bool { bytes >= 0 && entries >= 0 && bytes >> 36 <= entries }

  package static func += (left: inout CacheUsage, right: CacheUsage) {
    // Wrapping: the numbers may come from a corrupted file.
    left.bytes &+= right.bytes
    left.entries &+= right.entries
  }

  package static func - (left: CacheUsage, right: CacheUsage) -> CacheUsage {
    CacheUsage(bytes: left.bytes &- right.bytes, entries: left.entries &- right.entries)
  }
}
