import ImgfetchCore

/// Decides which shard a record belongs to, and which process makes that shard.
///
/// A pure value: all machines with the same settings decide the same, whatever they have seen.
package struct ShardRule: Sendable {
  /// Lines of a shard.
  package var perShard: Int
  /// This process's part of the list.
  package var part = ListPart.whole
  /// True if a part takes the lines of its hosts, and not every Nth shard.
  package var isByHost = false
  /// Hosts so large that several parts share them.
  package var splitHosts: [HostPattern] = []
  /// The largest number of parts that share such a host.
  package var perHost = politePerHost

  package static let politePerHost = Admission.Limits.politePerHost

  package init(perShard: Int) { self.perShard = max(1, perShard) }

  /// The number of parts among which a shared host is divided.
  package var sharers: Int { max(1, min(perHost, part.count)) }

  /// True if several parts share this host.
  package func isSplit(_ origin: Origin) -> Bool { splitHosts.contains { $0.matches(origin) } }

  /// True if a host's image is this part's. The host is the one that the line names; where it redirects to does not
  /// count.
  package func owns(_ origin: Origin, key: ContentHash) -> Bool { owner(of: origin, key: key) == part.index }

  /// The part that asks for a host's image, from 1.
  package func owner(of origin: Origin, key: ContentHash) -> Int {
    if part.count <= 1 { return 1 }
    var owner = ContentHash(of: origin.host).low % UInt64(part.count)
    // The parts that share a host follow one another, from the one that would have it alone.
    if !splitHosts.isEmpty, isSplit(origin) { owner = (owner + key.low % UInt64(sharers)) % UInt64(part.count) }
    return Int(owner) + 1
  }

  /// True if this process makes a shard that is a run of lines.
  package func owns(shard number: Int) -> Bool { number % max(1, part.count) == part.index - 1 }

  /// The number of records, out of `count`, in shards that are runs of lines and made by this process.
  package func count(ofRecords count: Int) -> Int {
    let full = count / perShard
    let own = full / part.count + (full % part.count >= part.index ? 1 : 0)
    return own * perShard + (owns(shard: full) ? count % perShard : 0)
  }

  /// True if a shard of this name is one of this process's.
  package func owns(_ name: ShardName) -> Bool {
    isByHost ? name.part == part.index : name.part == nil && owns(shard: name.number)
  }

  /// True if the failed lines of a finished shard are this process's to try again. Any number of processes may share
  /// that, however many have made the shards.
  package func retries(_ name: ShardName) -> Bool { owns(shard: name.part.map { $0 - 1 } ?? name.number) }
}
