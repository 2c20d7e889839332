/// Gives a finished file its entry's name, and says exactly what it took the place of.
enum EntryPlacing {
  /// Renames `part` to `entry`.
  ///
  /// Where there is an entry already, the two change places, so that what came out is known to the byte, whoever else
  /// replaces it at the same time. The part takes a private name before that: under its usual one the old entry
  /// would stand for a moment where others look for a part to lock, and one of them could come to hold it.
  static func place(
    _ part: String, as entry: String, in folder: CacheFolder, privateName: @autoclosure () -> String
  ) throws(SystemError) -> CacheUsage {
    do {
      try folder.namespace.rename(part, to: entry, in: folder.namespace, .exclusive)
      return CacheUsage()
    } catch {
      switch error.code {
      case .fileExists: break
      case .notSupported: return try overwrite(part, as: entry, in: folder)
      default: throw error
      }
    }
    let name = privateName()
    try folder.namespace.rename(part, to: name, in: folder.namespace)
    do {
      return try exchange(name, with: entry, in: folder)
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
        case .noSuchFile: break  // removed meanwhile: then it is a first one after all
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

  /// Removes what came out, which nobody else has a name for; the answer is what it was.
  private static func remove(_ name: String, in folder: CacheFolder) -> CacheUsage {
    guard let old = try? folder.namespace.status(of: name) else {
      // Uncounted is better than left: a clean counts anew, but nobody looks for this name.
      _ = try? folder.namespace.remove(name)
      return CacheUsage()
    }
    _ = try? folder.namespace.remove(name, isFolder: old.kind == .directory)
    return old.kind == .regular ? CacheUsage(bytes: old.size, entries: 1) : CacheUsage()
  }

  /// Where the kernel or the file system knows no other way: nearly exact, and a clean counts anew.
  ///
  /// Not by a link, as other files get their names there: the part would be a second name of the entry for a moment, and who came to
  /// hold it after a process that was ended in that moment would empty both.
  private static func overwrite(
    _ name: String, as entry: String, in folder: CacheFolder
  ) throws(SystemError) -> CacheUsage {
    let old = try folder.namespace.status(of: entry)
    try folder.namespace.rename(name, to: entry, in: folder.namespace)
    guard let old, old.kind == .regular else { return CacheUsage() }
    return CacheUsage(bytes: old.size, entries: 1)
  }
}
