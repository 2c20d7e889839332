/// Where the shards of a data set are: in a folder, or in a place of the network. Those who make and read shards see no difference.
package protocol ShardStore: Sendable {
  /// What it is called in messages.
  var path: String { get }
  /// The folder in which images wait for their shard to be complete.
  var spoolFolder: String { get }
  /// How many shards may be open at once: each has a spool there.
  var mostOpen: Int { get }

  /// What a shard there is called in messages.
  func path(of name: ShardName) -> String

  /// A shard that is there; nil: there is none.
  func standing(_ name: ShardName) throws(ShardFailure) -> StandingShard?

  /// The shards that are there, in their order; in a place, those whose failed lines this process would try again.
  func shards() throws(ShardFailure) -> [ShardName]

  /// Shards that are there, which tell of which options those of this process are.
  func samples(of rule: ShardRule) throws(ShardFailure) -> [ShardName]

  /// Has a shard's file filled, and gives it its name: whole, and only if no other attempt was first.
  ///
  /// - Parameter former: a shard of that name that it takes the place of, as long as it is still there; nil: there is none.
  func make(
    _ name: ShardName, inPlaceOf former: StandingShard?, filling fill: (SharedDescriptor) throws(ShardFailure) -> Void
  ) throws(ShardFailure) -> ShardOutcome

  /// Returns whether a file of this name is beside the shards.
  func has(_ file: String) throws(ShardFailure) -> Bool

  /// Puts a small file beside the shards, in a folder in the place of one that is there.
  func add(_ bytes: [UInt8], as file: String) throws(ShardFailure)
}

/// How making a shard went.
package enum ShardOutcome: Sendable {
  case done
  /// It has its name, and nothing could keep another attempt's file of the same moment from being replaced.
  case doneUnguarded
  /// Another attempt was first.
  case lost
}

/// Why a shard cannot be read or made.
package enum ShardFailure: Error, Hashable {
  /// A file of this machine.
  case file(SystemError)
  /// The file of this name is no shard, or not a whole one.
  case foreign(String)
  /// What came of a request to the place.
  case place(FetchError)
  /// The run ends.
  case stopped

  /// Whether another shard would fail in the same way: a full disk, or a place that does not take what is put there.
  package var concernsAll: Bool {
    switch self {
    case .file: true
    case .place(let error): !error.isTransient && error.kind != .cancelled
    case .foreign, .stopped: false
    }
  }

  /// What is wrong, with the name of what it is about.
  package var message: String {
    switch self {
    case .file(let error): "\(error)"
    case .foreign(let path): "\(path): this is no shard that imgfetch has made"
    case .place(let error): error.message
    case .stopped: "broken off"
    }
  }

  /// What is wrong with a shard that is called so.
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

  /// - Parameter part: so many bytes from an offset on; fewer only at the end.
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
