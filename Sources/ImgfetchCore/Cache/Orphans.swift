/// Of the entries in one folder those that lose the image that they were made of: they go with it.
///
/// Names tell what belongs together (see ``CacheKey``), so that a cleaner need not open anything. An entry whose image is
/// not there at all has its time as others have: the image may lie in a tier below.
struct Orphans {
  private let listing: FolderListing
  /// All that were made of others; in most folders there are none, and then nothing is noted.
  private let derived: [ShardScan.File]
  private var departed: Set<ContentHash> = []
  private var gone: Set<Int> = []

  init(in scan: ShardScan) {
    let listing = scan.listing
    self.listing = listing
    derived = scan.files.filter { CacheNames.isDerived(listing.bytes(at: $0.place)) }
  }

  /// An entry goes.
  mutating func note(_ file: ShardScan.File) {
    if derived.isEmpty { return }
    let name = listing.bytes(at: file.place)
    if CacheNames.isDerived(name) {
      gone.insert(file.place)
    } else if let family = CacheNames.family(of: name) {
      departed.insert(family)
    }
  }

  /// What goes with those that were noted, besides what was noted itself.
  var files: [ShardScan.File] {
    if departed.isEmpty { return [] }
    return derived.filter { file in
      !gone.contains(file.place)
        && CacheNames.family(of: listing.bytes(at: file.place)).map(departed.contains) == true
    }
  }
}
