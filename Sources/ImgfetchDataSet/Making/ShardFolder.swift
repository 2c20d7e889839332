import Glibc
import ImgfetchCore

/// The folder of a data set: the shards in it, and the way in which a further one gets its name.
package struct ShardFolder: ShardStore {
  package let path: String
  package let folder: SharedDescriptor
  private let host: String

  /// Opens the folder, which is made if it is missing.
  ///
  /// - Parameter host: this machine's name, by which temporaries of its own are known.
  package init(_ path: String, host: String = Processes.hostName) throws(SystemError) {
    self.path = path
    self.host = host
    folder = try OutputFolders().folder(path).descriptor
  }

  /// The path of a file in it, as it is shown.
  package func path(of name: ShardName) -> String { path.endsInSlash ? path + name.file : "\(path)/\(name.file)" }

  package var spoolFolder: String { path }

  /// The limit on open shards. With shards of the usual length the look-ahead ends before it.
  package var mostOpen: Int { 64 }

  package func shards() throws(ShardFailure) -> [ShardName] {
    do throws(SystemError) {
      return try folder.file.names().compactMap { ShardName(file: $0) }.sorted()
    } catch { throw .file(error.of(path)) }
  }

  /// The number of shards to look at: all shards of a run have the same options.
  private static let samples = 1_000

  package func samples(of rule: ShardRule) throws(ShardFailure) -> [ShardName] {
    let shards = try shards().filter { $0.again == 0 }
    return Array((shards.filter { rule.owns($0) } + shards.filter { !rule.owns($0) }).prefix(Self.samples))
  }

  package func standing(_ name: ShardName) throws(ShardFailure) -> StandingShard? {
    let file: SharedDescriptor
    // Opening a named pipe would wait for its writer.
    do throws(SystemError) { file = SharedDescriptor(try folder.file.open(name.file, [.read, .nonBlocking])) } catch {
      if error.code == .noSuchFile { return nil }
      throw .file(error.of(path(of: name)))
    }
    return try StandingShard(ShardBytes(file, path: path(of: name)), name, path: path(of: name))
  }

  package func make(
    _ name: ShardName, inPlaceOf former: StandingShard?, filling fill: (SharedDescriptor) throws(ShardFailure) -> Void
  ) throws(ShardFailure) -> CommitOutcome {
    let temporary: ShardTemporary
    // In the place of another one it needs a name from which it can be renamed.
    do throws(SystemError) { temporary = try self.temporary(for: name, isNamed: former != nil) } catch {
      throw .file(error)
    }
    try fill(temporary.file)
    if let former {
      guard try standing(name)?.job == former.job else { return .lost }
      do throws(SystemError) { return try temporary.replace(name) } catch { throw .file(error) }
    }
    do throws(SystemError) { return try temporary.commit(as: name) } catch { throw .file(error) }
  }

  package func has(_ file: String) throws(ShardFailure) -> Bool {
    do throws(SystemError) { return try folder.file.status(of: file) != nil } catch { throw .file(error.of(path)) }
  }

  package func add(_ bytes: [UInt8], as file: String) throws(ShardFailure) {
    do throws(SystemError) {
      let temporary = ShardTemporaryName(
        file: file, host: host, distinction: String(UInt64.random(in: .min ... .max), radix: 36)
      ).text
      let made = try folder.file.open(temporary, [.readWrite, .create, .exclusive], mode: 0o666)
      do throws(SystemError) {
        try made.write(bytes.span, at: 0)
        try folder.file.rename(temporary, to: file, in: folder.file)
      } catch {
        _ = try? folder.file.remove(temporary)
        throw error
      }
    } catch { throw .file(error.of("\(path)/\(file)")) }
  }

  /// The age in seconds at which another host's temporary file is certainly abandoned.
  private static let patience: Int64 = 86_400

  /// Removes what broken-off attempts have left: those of this host whose lock is free, and
  /// those of others after a day.
  package func clean(now: WallTime) {
    guard let names = try? folder.file.names() else { return }
    for name in names {
      guard let temporary = ShardTemporaryName(file: name) else { continue }
      if temporary.isOf(host: host) {
        // Its writer holds its lock. The name may be another file's by now.
        guard let file = try? folder.file.open(name, [.readWrite, .noFollow, .nonBlocking]),
          (try? file.tryLock()) == true, let mine = try? file.status().identity,
          (try? folder.file.status(of: name))?.identity == mine
        else { continue }
        _ = try? folder.file.remove(name)
      } else if let changed = (try? folder.file.status(of: name))?.changed,
        now.nanoseconds / 1_000_000_000 - changed.nanoseconds / 1_000_000_000 > Self.patience
      {
        _ = try? folder.file.remove(name)
      }
    }
  }

  /// A file in which a shard can be written.
  ///
  /// - Parameter isNamed: whether it has a name, too.
  package func temporary(for name: ShardName, isNamed: Bool = false) throws(SystemError) -> ShardTemporary {
    if isNamed { return try namedTemporary(for: name) }
    do {
      let file = try folder.file.open(".", [.unnamed, .readWrite], mode: 0o666)
      return ShardTemporary(SharedDescriptor(file), nil, in: folder)
    } catch {
      // Old kernels, overlays and network file systems have no unnamed files, and say so in several ways.
      guard [.isDirectory, .notSupported, .notImplemented, .noSuchFile, .invalidArgument].contains(error.code) else {
        throw error
      }
    }
    return try namedTemporary(for: name)
  }

  private func namedTemporary(for name: ShardName) throws(SystemError) -> ShardTemporary {
    while true {
      let distinction =
        String(Processes.identifier, radix: 36) + "-" + String(UInt64.random(in: .min ... .max), radix: 36)
      let temporary = ShardTemporaryName(name, host: host, distinction: distinction).text
      let file = try folder.file.open(temporary, [.readWrite, .create, .exclusive, .noFollow], mode: 0o666)
      // Between the two calls another attempt may have taken it for a leftover, and removed it.
      let isLocked = (try? file.tryLock()) ?? true
      let identity = try file.status().identity
      if isLocked, try folder.file.status(of: temporary)?.identity == identity {
        return ShardTemporary(SharedDescriptor(file), temporary, in: folder)
      }
    }
  }
}

/// A shard's file before it has its name. It is removed unless it is committed.
package struct ShardTemporary: ~Copyable {
  package let file: SharedDescriptor
  private let folder: SharedDescriptor
  /// The temporary name, or nil if the file has none, or no longer has it.
  private var name: String?

  fileprivate init(_ file: SharedDescriptor, _ name: String?, in folder: SharedDescriptor) {
    self.file = file
    self.folder = folder
    self.name = name
  }

  deinit {
    if let name { _ = try? folder.file.remove(name) }
  }

  /// Gives the file the shard's name, in one step and only if that is free.
  ///
  /// Its bytes are on the disk before: an existing shard is trusted, so it must not turn out empty after a power cut.
  package consuming func commit(as shard: ShardName) throws(SystemError) -> CommitOutcome {
    try file.file.synchronize()
    guard let name else {
      do { try TemporaryFile.link(file.file, as: shard.file, in: folder.file) } catch {
        if error.code == .fileExists { return .lost }
        throw error
      }
      return .done
    }
    do {
      try folder.file.link(name, as: shard.file, in: folder.file)
      return .done
    } catch {
      if error.code == .fileExists { return try isLinked() ? .done : .lost }
      // FUSE, FAT and other systems' servers say in these ways that there are no links.
      guard [.notPermitted, .notSupported, .notImplemented, .invalidArgument].contains(error.code) else { throw error }
    }
    do {
      try folder.file.rename(name, to: shard.file, in: folder.file, .exclusive)
      self.name = nil
      return .done
    } catch {
      if error.code == .fileExists { return .lost }
      guard error.code == .notSupported else { throw error }
    }
    if try folder.file.status(of: shard.file) != nil { return .lost }
    try folder.file.rename(name, to: shard.file, in: folder.file)
    self.name = nil
    return .doneUnguarded
  }

  /// Takes the place of the shard of this name.
  package consuming func replace(_ shard: ShardName) throws(SystemError) -> CommitOutcome {
    try file.file.synchronize()
    guard let name else { return .lost }
    try folder.file.rename(name, to: shard.file, in: folder.file)
    self.name = nil
    return .done
  }

  /// True if the file has its second link. A call whose answer was lost on a network is repeated, and finds
  /// the link that it has made.
  private borrowing func isLinked() throws(SystemError) -> Bool { try file.file.status().links == 2 }
}
