/// Numbers the records of a list, and says which shard each belongs to. A pure value.
package struct ShardSequence: Sendable {
  /// A record's shard, and the shard's first record if this is it.
  package struct Place: Hashable, Sendable {
    package let shard: ShardName
    /// The record's number within the shard.
    package let slot: Int
    /// True if the record is the last one that the shard has room for.
    package let isLast: Bool
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
      return place(ShardName(part: rule.part.index, number: taken / rule.perShard), slot: taken % rule.perShard)
    }
    let number = record / rule.perShard
    guard rule.owns(shard: number) else { return nil }
    return place(ShardName(number: number), slot: record % rule.perShard)
  }

  /// The first shard of this part behind a list of so many records: a list that has ended has no such one.
  package func next(after records: Int) -> ShardName {
    let taken = rule.isByHost ? self.taken : records
    var number = taken / rule.perShard + (taken % rule.perShard == 0 ? 0 : 1)
    if rule.isByHost { return ShardName(part: rule.part.index, number: number) }
    while !rule.owns(shard: number) { number += 1 }
    return ShardName(number: number)
  }

  private func place(_ shard: ShardName, slot: Int) -> Place {
    Place(shard: shard, slot: slot, isLast: slot == rule.perShard - 1)
  }
}
