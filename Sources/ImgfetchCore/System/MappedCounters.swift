import CPosixShim
import Glibc
import Synchronization

/// Counters in a file that any number of processes update at once, without a lock.
///
/// The file is mapped shared, and every access is a 64-bit atomic one. The caller must ensure that the file is as long
/// as stated and that its space is reserved: touching a page beyond the end, or a sparse one on a full disk, raises
/// SIGBUS. Other processes may still truncate the file at any time, so a check before each access would prove nothing.
/// If they do, or if the disk fails, the counters are lost: all of them read as 0 from then on, and additions have no
/// effect.
///
/// Reading and writing under a lock instead would take four system calls and 2.4 µs for each stored image (tmpfs, no
/// other process), of the 70 µs that an image takes, against 0.009 µs.
// Proof: `base` points to `count` aligned words that stay mapped until deinit. Every access is atomic and checked against
// `count`, so threads and processes may share them. The mapping outlives the descriptor.
@safe
package final class MappedCounters: @unchecked Sendable {
  private let base: UnsafeMutablePointer<Atomic<UInt64>>
  package let count: Int
  private let guarding: OpaquePointer

  /// Maps the first `count` words of a file that is open for reading and writing.
  package init(mapping file: borrowing Descriptor, count: Int) throws(SystemError) {
    let raw = file.raw
    let length = count * MemoryLayout<UInt64>.stride
    let address = try SystemCall.mmap.perform { () -> Int in
      let address = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, raw, 0)
      return Int(bitPattern: address)  // MAP_FAILED is -1, as of other calls
    }
    guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: address) else { throw SystemError(.mmap, .noMemory) }
    guard let guarding = unsafe imgfetch_mapping_guard(pointer, length) else {
      SystemCall.munmap.attempt { unsafe munmap(pointer, length) }
      throw SystemError(.mmap, .noMemory)
    }
    unsafe self.guarding = guarding
    unsafe base = pointer.bindMemory(to: Atomic<UInt64>.self, capacity: count)
    self.count = count
  }

  deinit {
    unsafe imgfetch_mapping_release(guarding)
    SystemCall.munmap.attempt { unsafe munmap(base, count * MemoryLayout<UInt64>.stride) }
  }

  /// The word at `index`. Out of range, it reads as 0 and is not written.
  package subscript(index: Int) -> UInt64 {
    get {
      guard index >= 0, index < count else { return 0 }
      return unsafe base[index].load(ordering: .relaxed)
    }
    set {
      guard index >= 0, index < count else { return }
      unsafe base[index].store(newValue, ordering: .relaxed)
    }
  }

  /// Adds a number, which may be negative: in two's complement it is the same addition.
  package func add(_ number: Int64, at index: Int) {
    guard index >= 0, index < count else { return }
    _ = unsafe base[index].wrappingAdd(UInt64(bitPattern: number), ordering: .relaxed)
  }

  /// Replaces `old` by `new`. Returns false if the word is not `old`.
  package func exchange(_ old: UInt64, for new: UInt64, at index: Int) -> Bool {
    guard index >= 0, index < count else { return false }
    return unsafe base[index].compareExchange(expected: old, desired: new, ordering: .relaxed).exchanged
  }
}
