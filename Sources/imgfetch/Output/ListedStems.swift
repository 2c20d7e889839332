import ImgfetchCore

/// The stems of the files in output folders, each folder listed once. An image may have its file under any of some
/// forty extensions: a look for each of them takes longer than the rest of a line.
///
/// A file that another program makes later is not seen here. It is kept all the same when the image is to be written.
final class ListedStems: Sendable {
  private enum Listing {
    /// Their hashes. Two stems with one hash cost looks, and nothing else.
    case stems(Set<UInt32>)
    /// The folder is too large, or cannot be read.
    case unknown
  }

  private struct State: ~Copyable {
    var folders: [[UInt8]: Listing] = [:]
    /// The number of stems that may still be kept: 4 MB of them. A folder counts as ``folderCost``.
    var room = 500_000
    var looks = 0
  }

  /// No larger folder is listed, since a listing holds whole names.
  private static let mostListed = 100_000
  private static let folderCost = 64

  /// The number of looks that are made without a listing, which takes longer in a large folder than those for a short
  /// list.
  private static let looksWithout = 64

  private let state = Guarded(State())

  /// True if the folder of a path without its extension holds no file of that stem.
  func lacks(_ path: String) -> Bool {
    let (folder, stem) = path.pathSplit
    let name = Self.hash(stem)
    return state.withLock { state in
      state.looks += 1
      guard state.looks > Self.looksWithout else { return false }
      let key = Self.key(folder)
      if state.folders[key] == nil {
        // A template may give each image a folder of its own.
        let cost = Self.folderCost + key.count / 4
        guard state.room > cost else { return false }
        state.room -= cost
        state.folders[key] = Self.list(folder.map(String.init) ?? ".", &state.room)
      }
      guard case .stems(let stems)? = state.folders[key] else { return false }
      return !stems.contains(name)
    }
  }

  /// Notes a file that this run has made.
  func add(_ path: String) {
    let (folder, file) = path.pathSplit
    let name = Self.hash(Stem.split(String(file)).stem[...])
    state.withLock { state in
      let key = Self.key(folder)
      guard case .stems(var stems)? = state.folders[key] else { return }
      // One owner at a time, or the set would be copied. Without room the folder stays unknown.
      state.folders[key] = .unknown
      if stems.insert(name).inserted {
        guard state.room > 0 else { return state.room += stems.count - 1 }
        state.room -= 1
      }
      state.folders[key] = .stems(stems)
    }
  }

  private static func list(_ folder: String, _ room: inout Int) -> Listing {
    do {
      let listing = try FolderListing(
        of: Descriptor.open(folder, [.read, .directory]), atMost: min(room, mostListed))
      guard listing.count < min(room, mostListed) else { return .unknown }
      room -= listing.count
      return .stems(Set((0..<listing.count).map { hash(Stem.split(listing.name(at: $0)).stem[...]) }))
    } catch {
      // A folder that is yet to be made holds nothing.
      return error.code == .noSuchFile ? .stems([]) : .unknown
    }
  }

  private static func key(_ folder: Substring?) -> [UInt8] { Array((folder ?? ".").utf8) }

  /// Without regard to capitals, which some file systems pass over.
  private static func hash(_ stem: Substring) -> UInt32 {
    let bytes = stem.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
    return UInt32(truncatingIfNeeded: ContentHash(of: bytes.span).low)
  }
}
