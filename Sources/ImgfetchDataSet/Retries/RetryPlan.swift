import ImgfetchCore

/// The failed lines of finished shards that are tried once more, and the shards for those that can be fetched now.
///
/// Their rows are in a spool, one after another in the order of the shards, so that a data set with millions of
/// failures takes no memory.
package struct RetryPlan: Sendable {
  /// The lines of one shard.
  package struct Round: Hashable, Sendable {
    /// The shard for the images that can be fetched now.
    package let shard: ShardName
    /// The number of lines that are tried.
    package let count: Int
  }

  package private(set) var rounds: [Round] = []
  /// The rows of all rounds, or nil if there are none.
  package private(set) var spool: SharedDescriptor?
  private var length: Int64 = 0
  /// The records of all rounds: another attempt has written the rows, and a record that is in two of
  /// them would be of two shards.
  private var records: Set<Int> = []
  private let spoolFolder: String

  /// The reason why nothing can be tried again.
  package enum Failure: Error {
    case shard(ShardFailure)
    /// The shard was made with other options.
    case otherOptions(StandingShard)
    /// There are no shards, of any process.
    case noShards
  }

  /// Reads the failed rows of all shards of a data set for which `isOwn` holds. A line that an earlier repetition has
  /// fetched is not tried again.
  ///
  /// - Parameters:
  ///   - options: the options that each shard's job must have.
  ///   - spoolFolder: the folder for the rows.
  package init(
    _ folder: any ShardStore, options: Substring, spoolIn spoolFolder: String, isOwn: (ShardName) -> Bool
  ) throws(Failure) {
    self.spoolFolder = spoolFolder
    let shards: [ShardName]
    do throws(ShardFailure) { shards = try folder.shards() } catch { throw .shard(error) }
    if shards.isEmpty { throw .noShards }
    var at = 0
    while at < shards.count {
      let first = shards[at].first
      var last = at
      while last + 1 < shards.count, shards[last + 1].first == first { last += 1 }
      if isOwn(first) { try add(Array(shards[at...last]), of: first, in: folder, options: options) }
      at = last + 1
    }
  }

  private mutating func add(
    _ names: [ShardName], of first: ShardName, in folder: any ShardStore, options: Substring
  ) throws(Failure) {
    var had: Set<Int> = []
    var base: StandingShard?
    for name in names {
      let found: StandingShard?
      do throws(ShardFailure) { found = try folder.standing(name) } catch { throw .shard(error) }
      guard let shard = found else { continue }
      guard !shard.job.isOfOtherVersion, shard.job.options == options else { throw .otherOptions(shard) }
      if name.again == 0 {
        base = shard
      } else {
        do throws(ShardFailure) {
          try shard.rows(first: Self.beginning) { row in if let record = Self.record(ofRow: row) { had.insert(record) }
          }
        } catch { throw .shard(error) }
      }
    }
    // Without the shard itself there is nothing that failed.
    guard let base else { return }
    var count = 0
    var last = -1
    do throws(ShardFailure) {
      try base.failedRows { (row) throws(ShardFailure) in
        guard let record = Self.record(ofRow: row), record > last else { throw .foreign(base.path) }
        last = record
        if had.contains(record) || ShardWriter.isOfDuplicate(row) { return }
        guard records.insert(record).inserted else { throw .foreign(base.path) }
        do throws(SystemError) { try append(row) } catch { throw .file(error.of(spoolFolder)) }
        count += 1
      }
    } catch { throw .shard(error) }
    guard count > 0 else { return }
    var next = first
    next.again = (names.last?.again ?? 0) + 1
    rounds.append(Round(shard: next, count: count))
  }

  private mutating func append(_ row: ArraySlice<UInt8>) throws(SystemError) {
    if spool == nil { spool = SharedDescriptor(try TemporaryFile.anonymous(in: spoolFolder)) }
    try spool?.file.write(row.span, at: length)
    length += Int64(row.count)
  }

  /// The number of the record that a row is of, or nil if it is no row.
  package static func record(ofRow row: ArraySlice<UInt8>) -> Int? {
    guard row.starts(with: opening) else { return nil }
    var number = 0
    for byte in row.dropFirst(opening.count).prefix(mostDigits + 1) {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else {
        return byte == UInt8(ascii: "\"") ? number : nil
      }
      number = 10 * number + Int(byte - UInt8(ascii: "0"))
    }
    return nil
  }

  /// The most digits of a number: more than any list has lines, and so few that no sum overflows.
  private static let mostDigits = 15
  /// The bytes of a row that contain the number of its record.
  private static let beginning = 64

  /// The beginning of each row.
  package static let opening = Array("{\"record\":\"".utf8)
}

/// Says of which shard each line is that is tried once more. A pure value.
package struct RetrySequence: Sendable {
  private let rounds: [RetryPlan.Round]
  private var round = 0
  private var taken = 0

  package init(_ rounds: [RetryPlan.Round]) { self.rounds = rounds }

  /// The place of the next line, or nil if no further one was expected.
  package mutating func place() -> ShardSequence.Place? {
    guard round < rounds.count else { return nil }
    let place = ShardSequence.Place(
      shard: rounds[round].shard, slot: taken, isLast: taken == rounds[round].count - 1)
    taken += 1
    if place.isLast {
      round += 1
      taken = 0
    }
    return place
  }
}
