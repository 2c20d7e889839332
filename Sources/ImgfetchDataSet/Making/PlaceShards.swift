import ImgfetchCore

/// The shards of a data set that is in a place: a bucket, or the folder of a web server.
package struct PlaceShards: ShardStore {
  private let place: RemotePlace
  private let rule: ShardRule
  private let host: String
  package let spoolFolder: String

  /// - Parameters:
  ///   - rule: The rule that decides which shards are this process's.
  ///   - spoolFolder: The folder of images and shards that are not complete yet.
  package init(_ place: RemotePlace, _ rule: ShardRule, spoolIn spoolFolder: String, host: String = Processes.hostName)
  {
    self.place = place
    self.rule = rule
    self.spoolFolder = spoolFolder
    self.host = host
  }

  package var path: String { place.url.display }

  /// A folder for temporary files has less room than one for data sets, and sending takes longer than a link.
  package var mostOpen: Int { 8 }

  package func path(of name: ShardName) -> String { place.display(of: name.file) }

  /// Most shards begin with a job that is no longer than this.
  private static let beginning = 16 << 10
  /// The bytes to read at once from the rest: a header and the beginning of its contents.
  private static let window = 256 << 10

  package func standing(_ name: ShardName) throws(ShardFailure) -> StandingShard? {
    guard let head = try read(name.file, from: 0, count: Self.beginning) else { return nil }
    let last = Guarded<(offset: Int64, bytes: [UInt8])>((0, head.bytes))
    let bytes = ShardBytes(size: head.total) { (offset, count) throws(ShardFailure) in
      func held() -> [UInt8]? {
        last.withLock { held in
          let end = held.offset + Int64(held.bytes.count)
          guard offset >= held.offset, min(offset + Int64(count), head.total) <= end else { return nil }
          let start = Int(offset - held.offset)
          return Array(held.bytes[min(start, held.bytes.count)..<min(start + count, held.bytes.count)])
        }
      }
      if let there = held() { return there }
      guard let piece = try read(name.file, from: offset, count: max(count, Self.window)) else {
        throw .place(FetchError(.http, path(of: name), "it was removed while it was read", status: 404))
      }
      last.withLock { $0 = (offset, piece.bytes) }
      return Array(piece.bytes.prefix(count))
    }
    return try StandingShard(bytes, name, path: path(of: name))
  }

  private func read(_ file: String, from offset: Int64, count: Int) throws(ShardFailure) -> PlacePiece? {
    do throws(FetchError) { return try place.read(file, from: offset, count: count) } catch {
      throw .place(error)
    }
  }

  private func isThere(_ name: ShardName) throws(ShardFailure) -> Bool { try has(name.file) }

  /// The parts whose first shards are looked for: each takes a request.
  private static let mostParts = 8

  package func samples(of rule: ShardRule) throws(ShardFailure) -> [ShardName] {
    let parts = [rule.part.index] + (1...max(1, min(rule.part.count, Self.mostParts)))
    var firsts = parts.map { ShardName(part: rule.isByHost ? $0 : nil, number: rule.isByHost ? 0 : $0 - 1) }
    firsts += [ShardName(number: 0), ShardName(part: 1, number: 0)]
    firsts = firsts.enumerated().filter { !firsts[..<$0.offset].contains($0.element) }.map(\.element)
    var there: [ShardName] = []
    for name in firsts where try isThere(name) { there.append(name) }
    return there
  }

  /// The number of missing names in a row that is taken for the end: shards are made in their order, by a few attempts
  /// at once.
  private static let patience = 16

  /// The existing shards, looked for under their names: not every web server lists its folders.
  package func shards() throws(ShardFailure) -> [ShardName] {
    var shards = try run { ShardName(number: rule.part.index - 1 + $0 * rule.part.count) }
    var missing = 0
    var part = rule.part.index
    while missing < Self.patience {
      let ofPart = try run { [part] in ShardName(part: part, number: $0) }
      missing = ofPart.isEmpty ? missing + 1 : 0
      shards += ofPart
      part += rule.part.count
    }
    return shards.sorted()
  }

  /// Fails for a server that has a page for every name, where shards would have no end.
  private func checkThatNamesCanBeMissing() throws(ShardFailure) {
    let name = "none-\(String(UInt64.random(in: .min ... .max), radix: 36)).tar"
    guard try has(name) else { return }
    throw .place(FetchError(.http, path, "the server answers for every name, so shards cannot be looked for there"))
  }

  private func run(_ name: (Int) -> ShardName) throws(ShardFailure) -> [ShardName] {
    var shards: [ShardName] = []
    var (at, missing) = (0, 0)
    while missing < Self.patience {
      var next = name(at)
      at += 1
      guard try isThere(next) else {
        missing += 1
        // A part of no shards is mostly none.
        if shards.isEmpty, next.part != nil { return [] }
        continue
      }
      missing = 0
      if shards.isEmpty { try checkThatNamesCanBeMissing() }
      repeat {
        shards.append(next)
        next.again += 1
      } while try isThere(next)
    }
    return shards
  }

  /// Makes a shard. It replaces no other one here: no place can do that only if the other has not changed.
  package func make(
    _ name: ShardName, inPlaceOf former: StandingShard?, filling fill: (SharedDescriptor) throws(ShardFailure) -> Void
  ) throws(ShardFailure) -> CommitOutcome {
    try put(name.file, type: "application/x-tar", of: name, filling: fill)
  }

  private func put(
    _ target: String, type: String, of name: ShardName, filling fill: (SharedDescriptor) throws(ShardFailure) -> Void
  ) throws(ShardFailure) -> CommitOutcome {
    let file: SharedDescriptor
    let length: Int64
    do throws(SystemError) { file = SharedDescriptor(try TemporaryFile.anonymous(in: spoolFolder)) } catch {
      throw .file(error.of(spoolFolder))
    }
    try fill(file)
    do throws(SystemError) { length = try file.file.status().size } catch { throw .file(error.of(spoolFolder)) }
    let distinction = String(UInt64.random(in: .min ... .max), radix: 36)
    let temporary = ShardTemporaryName(name, host: host, distinction: distinction).text
    do throws(FetchError) {
      return try place.commit(file, length, as: target, temporary: temporary, type: type)
    } catch { throw .place(error) }
  }

  package func has(_ file: String) throws(ShardFailure) -> Bool { try read(file, from: 0, count: 1) != nil }

  package func add(_ bytes: [UInt8], as file: String) throws(ShardFailure) {
    _ = try put(file, type: "application/json", of: ShardName(number: 0)) { (spool) throws(ShardFailure) in
      do throws(SystemError) { try spool.file.write(bytes.span, at: 0) } catch { throw .file(error.of(spoolFolder)) }
    }
  }
}
