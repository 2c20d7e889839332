/// The names of the files in a cache, and the kinds of files that they stand for.
enum CacheNames {
  enum Kind: Hashable, Sendable {
    /// An entry, or a foreign file: it takes up space as an entry does.
    case entry
    /// A download in progress or interrupted. A resumable one has the entry's name; others are private.
    case part(isResumable: Bool)
    /// A temporary file of the system layer; or a removed file that is still open somewhere, which network file systems
    /// keep under such a name until it is closed.
    case temporary
    /// A note that a URL failed for good.
    case failureNote
  }

  /// The lengths of entries' names: the hash without the folder's digits, and the same with a dash and a discriminator.
  private static let plain = 30
  private static let discriminated = 47

  /// The last two are those of NFS clients and of FUSE (sshfs and the like).
  private static let temporaryPrefixes = [TemporaryFile.prefix, ".nfs", ".fuse_hidden"]

  static func kind(of name: some BidirectionalCollection<UInt8>) -> Kind {
    if name.first == UInt8(ascii: "."), temporaryPrefixes.contains(where: { name.starts(with: $0.utf8) }) {
      return .temporary
    }
    if ends(name, with: CacheKey.partSuffix) {
      // The name of a private part contains the process's number, and with it another dot.
      return .part(isResumable: name.count { $0 == UInt8(ascii: ".") } == 1)
    }
    return ends(name, with: CacheKey.failureSuffix) ? .failureNote : .entry
  }

  /// The same for a name in a listing. Nearly all of a million names are entries', and are recognised
  /// by the first comparisons.
  static func kind(of place: Int, in listing: FolderListing) -> Kind {
    let name = listing.bytes(at: place)
    if name.count == plain || name.count == discriminated, name.allSatisfy(isOfAnEntry) { return .entry }
    return kind(of: name)
  }

  /// True if the entry is made of another image: its discriminator is odd, and those of answers are even.
  static func isDerived(_ name: ArraySlice<UInt8>) -> Bool {
    guard name.count == discriminated, let last = name.last else { return false }
    return (last < UInt8(ascii: "a") ? last : last &+ 1) & 1 == 1
  }

  /// The part of the name that an entry shares with all images derived from it, or nil for other names.
  static func family(of name: ArraySlice<UInt8>) -> ContentHash? {
    guard name.count == plain || name.count == discriminated else { return nil }
    var common = Array(name.prefix(plain))
    if name.count == plain {
      common.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 8))
    } else {
      common.append(contentsOf: name.dropFirst(plain + 1).prefix(8))
    }
    return ContentHash(of: common.span)
  }

  static func isOfAnEntry(_ byte: UInt8) -> Bool {
    (byte &- UInt8(ascii: "0")) < 10 || (byte &- UInt8(ascii: "a")) < 6 || byte == UInt8(ascii: "-")
  }

  private static func ends(_ name: some BidirectionalCollection<UInt8>, with suffix: String) -> Bool {
    name.reversed().starts(with: suffix.utf8.reversed())
  }
}
