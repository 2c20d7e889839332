import Synchronization

/// Whether look-ups on disk find nothing, one after the other.
final class MissStreak: Sendable {
  private let count = Atomic<Int>(0)

  /// So many in a row that it is no mixed list: there a part claimed in vain costs two calls more than it spares.
  private static let usual = 16

  var areUsual: Bool { count.load(ordering: .relaxed) >= Self.usual }

  /// Written only while it matters: it is read for each image, on several threads.
  func note(isMiss: Bool) {
    if isMiss {
      if !areUsual { count.add(1, ordering: .relaxed) }
    } else if count.load(ordering: .relaxed) != 0 {
      count.store(0, ordering: .relaxed)
    }
  }
}
