import ImgfetchCore
import Synchronization

/// Set once nothing more is to be tried: a signal came, or one failed and that is enough.
final class Stop: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Nil where there is no list, so nothing that a read could wait for.
  private let waker: Waker?

  init(hasLists: Bool) { waker = hasLists ? Waker() : nil }

  var isSet: Bool { flag.load(ordering: .acquiring) }

  /// Whether this call was the first.
  @discardableResult
  func set() -> Bool {
    let isFirst = !flag.exchange(true, ordering: .acquiringAndReleasing)
    waker?.wake()
    return isFirst
  }

  /// Waits until a stream can be read, or until nothing more of it is wanted. Whether it can.
  func wait(for stream: SharedDescriptor) -> Bool {
    waker.map { $0.wait(for: stream.file) == .ready } ?? true
  }
}
