import ImgfetchCore

/// The place for the shards of a data set: a folder, or a place of the network. Makers and readers of
/// shards see no difference.
package protocol ShardStore: Sendable {
  /// The store's name in messages.
  var path: String { get }
  /// The folder in which images wait for their shard to be complete.
  var spoolFolder: String { get }
  /// The number of shards that may be open at once: each has a spool there.
  var mostOpen: Int { get }

  /// A shard's name in messages.
  func path(of name: ShardName) -> String

  /// The existing shard of that name, or nil if there is none.
  func standing(_ name: ShardName) throws(ShardFailure) -> StandingShard?

  /// The existing shards, in their order; in a place, those whose failed lines this process would try again.
  func shards() throws(ShardFailure) -> [ShardName]

  /// Existing shards, which show the options of the set: this process's first, then others'.
  func samples(of rule: ShardRule) throws(ShardFailure) -> [ShardName]

  /// Has a shard's file filled, and gives it its name: whole, and only if no other attempt was first.
  ///
  /// - Parameter former: the shard of that name that is replaced, if it still exists, or nil if there is none.
  func make(
    _ name: ShardName, inPlaceOf former: StandingShard?, filling fill: (SharedDescriptor) throws(ShardFailure) -> Void
  ) throws(ShardFailure) -> CommitOutcome

  /// Returns whether a file of this name is beside the shards.
  func has(_ file: String) throws(ShardFailure) -> Bool

  /// Puts a small file beside the shards, or replaces the existing one in a folder.
  func add(_ bytes: [UInt8], as file: String) throws(ShardFailure)
}
