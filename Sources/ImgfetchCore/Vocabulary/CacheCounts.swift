/// Numbers of answers, by the caches that they came from.
package struct CacheCounts: Hashable, Sendable {
  package private(set) var none = 0
  package private(set) var memory = 0
  package private(set) var disk = 0
  package private(set) var remote = 0

  package init() {}

  /// The number of all of them.
  package var all: Int { none + memory + disk + remote }

  /// The numbers by their names in reports.
  package var named: [(String, Int)] { [("none", none), ("memory", memory), ("disk", disk), ("remote", remote)] }

  /// Counts an answer. Nil, for an answer that needed neither a cache nor the origin, is not counted.
  package mutating func add(_ cache: CacheType?) {
    switch cache {
    case .some(.network): none += 1
    case .memory: memory += 1
    case .disk: disk += 1
    case .remote: remote += 1
    case nil: break
    }
  }
}
