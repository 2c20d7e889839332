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

  /// The shard that is there, or nil if there is none.
  func standing(_ name: ShardName) throws(ShardFailure) -> StandingShard?

  /// The shards that are there, in their order; in a place, those whose failed lines this process would try again.
  func shards() throws(ShardFailure) -> [ShardName]

  /// Shards that are there, which tell of which options those of this process are.
  func samples(of rule: ShardRule) throws(ShardFailure) -> [ShardName]

  /// Has a shard's file filled, and gives it its name: whole, and only if no other attempt was first.
  ///
  /// - Parameter former: the shard of that name that it replaces, as long as that is still there,
  ///   or nil if there is none.
  func make(
    _ name: ShardName, inPlaceOf former: StandingShard?, filling fill: (SharedDescriptor) throws(ShardFailure) -> Void
  ) throws(ShardFailure) -> ShardOutcome

  /// Returns whether a file of this name is beside the shards.
  func has(_ file: String) throws(ShardFailure) -> Bool

  /// Puts a small file beside the shards, in a folder in the place of one that is there.
  func add(_ bytes: [UInt8], as file: String) throws(ShardFailure)
}

/// The outcome of making a shard.
package enum ShardOutcome: Sendable {
  case done
  /// The shard has its name, but another attempt's file of the same moment may have been replaced.
  case doneUnguarded
  /// Another attempt was first.
  case lost
}

/// The reason why a shard cannot be read or made.
package enum ShardFailure: Error, Hashable {
  /// A file of this machine.
  case file(SystemError)
  /// The file of this name is no shard, or not a whole one.
  case foreign(String)
  /// A request to the place failed.
  case place(FetchError)
  /// The run ends.
  case stopped

  /// True if another shard would fail in the same way, because of a full disk, or a place that does not accept files.
  package var concernsAll: Bool {
    switch self {
    case .file: true
    case .place(let error): !error.isTransient && error.kind != .cancelled
    case .foreign, .stopped: false
    }
  }

  /// The problem, with the name of the file or place.
  package var message: String {
    switch self {
    case .file(let error): "\(error)"
    case .foreign(let path): "\(path): this is no shard that imgfetch has made"
    case .place(let error): error.message
    case .stopped: "broken off"
    }
  }

  /// The problem of a shard of that name.
  package func message(of path: String, _ what: String) -> String {
    switch self {
    case .file(let error): "\(path): \(what): \(error.code)"
    case .place(let error): "\(path): \(what): \(error.reason)"
    case .foreign, .stopped: message
    }
  }
}

/// The bytes of a shard that is there, read in parts.
package struct ShardBytes: Sendable {
  package let size: Int64
  private let part: @Sendable (Int64, Int) throws(ShardFailure) -> [UInt8]

  /// - Parameter part: returns a number of bytes from an offset on; fewer only at the end.
  package init(size: Int64, _ part: @escaping @Sendable (Int64, Int) throws(ShardFailure) -> [UInt8]) {
    self.size = size
    self.part = part
  }

  init(_ file: SharedDescriptor, path: String) throws(ShardFailure) {
    do throws(SystemError) {
      size = try file.file.status().size
    } catch { throw .file(error.of(path)) }
    part = { (offset, count) throws(ShardFailure) in
      var bytes: [UInt8] = []
      do throws(SystemError) { _ = try file.file.read(into: &bytes, count: count, at: offset) } catch {
        throw .file(error.of(path))
      }
      return bytes
    }
  }

  func read(_ offset: Int64, _ count: Int) throws(ShardFailure) -> [UInt8] { try part(offset, count) }
}
