import Synchronization

/// Counts how often an event has repeated from one image to the next, so that the next image can be treated
/// accordingly.
///
/// This is only a guess: the result is right either way, and costs a little more if the guess is wrong.
final class Streak: Sendable {
  private let count = Atomic<Int>(0)

  /// The length of a streak after which a list does not count as mixed. A part that is claimed in vain costs two calls
  /// more than it saves, and a body that is read separately one more.
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
