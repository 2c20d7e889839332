/// How much there is: lengths of files as the file system says them, and their number.
package struct CacheUsage: Hashable, Sendable {
  package var bytes: Int64 = 0
  package var entries: Int64 = 0

  package init(bytes: Int64 = 0, entries: Int64 = 0) {
    self.bytes = bytes
    self.entries = entries
  }

  package static func += (left: inout CacheUsage, right: CacheUsage) {
    // Wrapping: the numbers may come from a file that anything may have happened to.
    left.bytes &+= right.bytes
    left.entries &+= right.entries
  }

  package static func - (left: CacheUsage, right: CacheUsage) -> CacheUsage {
    CacheUsage(bytes: left.bytes &- right.bytes, entries: left.entries &- right.entries)
  }
}
