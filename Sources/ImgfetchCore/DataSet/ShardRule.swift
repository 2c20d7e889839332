/// Decides which shard a record belongs to, and which process makes that shard.
///
/// A pure value: all machines that are told the same decide the same, whatever they have seen.
package struct ShardRule: Sendable {
  /// Lines of a shard.
  package var perShard: Int
  /// This process's part, from 1.
  package var index = 1
  /// The number of parts.
  package var count = 1
  /// True if a part takes the lines of its hosts, and not every Nth shard.
  package var isByHost = false
  /// Hosts so large that several parts share them.
  package var splitHosts: [HostPattern] = []
  /// The largest number of parts that share such a host.
  package var perHost = politePerHost

  package static let politePerHost = Admission.Limits.politePerHost

  package init(perShard: Int) { self.perShard = max(1, perShard) }

  /// Among how many parts a host is divided that several share.
  package var sharers: Int { max(1, min(perHost, count)) }

  /// True if several parts share this host.
  package func isSplit(_ origin: Origin) -> Bool { splitHosts.contains { $0.matches(origin) } }

  /// True if a host's image is this part's. The host is the one that the line names; where it redirects to does not
  /// count.
  package func owns(_ origin: Origin, key: ContentHash) -> Bool { owner(of: origin, key: key) == index }

  /// The part that asks for a host's image, from 1.
  package func owner(of origin: Origin, key: ContentHash) -> Int {
    if count <= 1 { return 1 }
    var owner = ContentHash(of: origin.host).low % UInt64(count)
    // The parts that share a host follow one another, from the one that would have it alone.
    if !splitHosts.isEmpty, isSplit(origin) { owner = (owner + key.low % UInt64(sharers)) % UInt64(count) }
    return Int(owner) + 1
  }

  /// The same for a line without a host, by its text.
  package func owns(_ line: ContentHash) -> Bool { count <= 1 || Int(line.low % UInt64(count)) == index - 1 }

  /// True if this process makes a shard that is a run of lines.
  package func owns(shard number: Int) -> Bool { number % max(1, count) == index - 1 }

  /// The number of records, out of `count`, in shards that are runs of lines and made by this process.
  package func count(ofRecords count: Int) -> Int {
    let full = count / perShard
    let own = full / self.count + (full % self.count >= index ? 1 : 0)
    return own * perShard + (owns(shard: full) ? count % perShard : 0)
  }

  /// True if a shard of this name is one of this process's.
  package func owns(_ name: ShardName) -> Bool {
    isByHost ? name.part == index : name.part == nil && owns(shard: name.number)
  }

  /// True if the failed lines of a finished shard are this process's to try again. Any number of processes may share
  /// that, however many have made the shards.
  package func retries(_ name: ShardName) -> Bool { owns(shard: name.part.map { $0 - 1 } ?? name.number) }
}

/// Numbers the records of a list, and says where each one's place is. A pure value.
package struct ShardSequence: Sendable {
  /// A record's shard, and the shard's first record if this is it.
  package struct Place: Hashable, Sendable {
    package let shard: ShardName
    /// The record's number within the shard.
    package let slot: Int
    /// True if the record is the last one that the shard has room for.
    package let isLast: Bool

    package init(shard: ShardName, slot: Int, isLast: Bool) {
      self.shard = shard
      self.slot = slot
      self.isLast = isLast
    }
  }

  private let rule: ShardRule
  /// Records of this part so far, where parts are hosts.
  private var taken = 0

  package init(_ rule: ShardRule) { self.rule = rule }

  /// The place of a record, or nil if it is another part's.
  ///
  /// - Parameters:
  ///   - record: its number in the list, from 0.
  ///   - isOwn: true if its host is one of this part's. Called only if that matters.
  package mutating func place(record: Int, isOwn: @autoclosure () -> Bool) -> Place? {
    if rule.isByHost {
      guard isOwn() else { return nil }
      defer { taken += 1 }
      return place(ShardName(part: rule.index, number: taken / rule.perShard), slot: taken % rule.perShard)
    }
    let number = record / rule.perShard
    guard rule.owns(shard: number) else { return nil }
    return place(ShardName(number: number), slot: record % rule.perShard)
  }

  /// True if a record is of a shard that another process makes, which its number alone tells.
  package func isOthers(record: Int) -> Bool { !rule.isByHost && !rule.owns(shard: record / rule.perShard) }

  private func place(_ shard: ShardName, slot: Int) -> Place {
    Place(shard: shard, slot: slot, isLast: slot == rule.perShard - 1)
  }
}
