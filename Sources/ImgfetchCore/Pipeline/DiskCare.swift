import Synchronization

/// Keeps a library's disk cache within its limits while it works: after a number of bytes were stored, a disk thread
/// cleans for a moment, if that is due. A program that cleans at the end of its run sets no limits.
final class DiskCare: Sendable {
  private let disk: DiskCache?
  private let workers: Workers
  private let maximumSize: Int64?
  private let maximumAge: Double?
  /// Bytes that were stored since the last cleaning. Begins with so many that the first image causes one.
  private let stored: Atomic<Int64>
  private let isBusy = Atomic<Bool>(false)
  private let stride: Int64

  init(_ disk: DiskCache?, _ workers: Workers, maximumSize: Int64?, maximumAge: Double?) {
    self.disk = maximumSize == nil && maximumAge == nil ? nil : disk
    self.workers = workers
    self.maximumSize = maximumSize
    self.maximumAge = maximumAge
    stride = min(16 << 20, max(1, (maximumSize ?? .max) / 16))
    // The first image that is stored causes a cleaning: the cache may not have been cleaned for days.
    stored = Atomic(stride)
  }

  /// Notes that an image of `count` bytes was stored.
  func note(_ count: Int64) {
    guard let disk, stored.add(count, ordering: .relaxed).newValue > stride,
      !isBusy.exchange(true, ordering: .acquiringAndReleasing)
    else { return }
    stored.store(0, ordering: .relaxed)
    workers.add(.later) { [self] in
      disk.cleanIfDue(maximumAge: maximumAge, maximumSize: maximumSize)
      isBusy.store(false, ordering: .releasing)
    }
  }
}
