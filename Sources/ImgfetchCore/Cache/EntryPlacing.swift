/// Gives a finished file its entry's name, and returns exactly the amount that it replaced.
enum EntryPlacing {
  enum Outcome {
    case replaced(CacheUsage)
    /// There is a newer entry, and the file is removed.
    case outdated
  }

  /// Renames `part` to `entry`. If there is an entry already, the two names are exchanged: so its size is known
  /// exactly, even if other processes replace it at the same time. The part gets a private name first. Under its usual
  /// name, the old entry would be visible for a moment where others look for a part to lock, and one of them could
  /// become its holder.
  ///
  /// - Parameter isOutdated: true if an entry that is there already is newer. Asked only where there may be one.
  static func place(
    _ part: String, as entry: String, in folder: CacheFolder, privateName: @autoclosure () -> String,
    unless isOutdated: @autoclosure () -> Bool
  ) throws(SystemError) -> Outcome {
    let isExclusive: Bool
    do {
      try folder.namespace.rename(part, to: entry, in: folder.namespace, .exclusive)
      return .replaced(CacheUsage())
    } catch {
      guard error.code == .fileExists || error.code == .notSupported else { throw error }
      isExclusive = error.code == .fileExists
    }
    if isOutdated() {
      _ = try folder.namespace.remove(part)
      return .outdated
    }
    guard isExclusive else { return .replaced(try overwrite(part, as: entry, in: folder)) }
    let name = privateName()
    try folder.namespace.rename(part, to: name, in: folder.namespace)
    do {
      return .replaced(try exchange(name, with: entry, in: folder))
    } catch {
      _ = try? folder.namespace.remove(name)
      throw error
    }
  }

  private static func exchange(
    _ name: String, with entry: String, in folder: CacheFolder
  ) throws(SystemError) -> CacheUsage {
    for _ in 0..<8 {
      do {
        try folder.namespace.rename(name, to: entry, in: folder.namespace, .exchanging)
        return remove(name, in: folder)
      } catch {
        switch error.code {
        case .noSuchFile: break  // removed meanwhile: then there is nothing to replace
        case .notSupported: return try overwrite(name, as: entry, in: folder)
        default: throw error
        }
      }
      do {
        try folder.namespace.rename(name, to: entry, in: folder.namespace, .exclusive)
        return CacheUsage()
      } catch {
        if error.code != .fileExists { throw error }
      }
    }
    return try overwrite(name, as: entry, in: folder)
  }

  /// Removes the replaced file, whose name no other process knows. Returns its size.
  private static func remove(_ name: String, in folder: CacheFolder) -> CacheUsage {
    guard let old = try? folder.namespace.status(of: name) else {
      // Better uncounted than left behind: a cleaning counts again, but no one looks for this name.
      _ = try? folder.namespace.remove(name)
      return CacheUsage()
    }
    _ = try? folder.namespace.remove(name, isFolder: old.kind == .directory)
    return old.kind == .regular ? CacheUsage(bytes: old.size, entries: 1) : CacheUsage()
  }

  /// Replaces an entry on kernels and file systems without these flags: nearly exact, and a cleaning counts again. A
  /// link, which gives other files their names there, will not do. The part would be a second name of the entry for a
  /// moment. If the process was killed then, the next holder of the part would empty both.
  private static func overwrite(
    _ name: String, as entry: String, in folder: CacheFolder
  ) throws(SystemError) -> CacheUsage {
    let old = try folder.namespace.status(of: entry)
    try folder.namespace.rename(name, to: entry, in: folder.namespace)
    guard let old, old.kind == .regular else { return CacheUsage() }
    return CacheUsage(bytes: old.size, entries: 1)
  }
}
