import Synchronization

/// Whether the same thing happens to one image after the other, so that the next is dealt with in the way that suits it.
///
/// A guess only: what it leads to is right either way, and costs a little more where the guess is wrong.
final class Streak: Sendable {
  private let count = Atomic<Int>(0)

  /// This many in a row mean that the list is not mixed. A part that is claimed in vain costs two calls more than it spares, and a body that
  /// is read by itself one more.
  private static let usual = 16

  var isUsual: Bool { count.load(ordering: .relaxed) >= Self.usual }

  /// Written only while it matters: it is read for each image, on several threads.
  func note(_ happened: Bool) {
    if happened {
      if !isUsual { count.add(1, ordering: .relaxed) }
    } else if count.load(ordering: .relaxed) != 0 {
      count.store(0, ordering: .relaxed)
    }
  }
}
