import ImgfetchCore
import Synchronization

/// Set once nothing more is to be tried: a signal came, or one failed and that is enough.
final class Stop: Sendable {
  private let flag = Atomic<Bool>(false)
  /// Nil where the reading thread never sleeps.
  private let waker: Waker?

  init(_ selection: SelectionSettings) {
    // Two requests go out at once however few files may be open.
    waker = selection.inputs.isEmpty && selection.urls.count <= 2 ? nil : Waker()
  }

  var isSet: Bool { flag.load(ordering: .acquiring) }

  /// Whether this call was the first.
  @discardableResult
  func set() -> Bool {
    let isFirst = !flag.exchange(true, ordering: .acquiringAndReleasing)
    wake()
    return isFirst
  }

  /// Has the reading thread come back from ``wait(for:)``.
  func wake() { waker?.wake() }

  /// Waits until a stream can be read, or for a reason to do something else. Whether it can.
  func wait(for stream: SharedDescriptor?) -> Bool {
    waker.map { $0.wait(for: stream) == .ready } ?? true
  }
}
