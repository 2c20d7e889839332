import CPosixShim
import Glibc
import Synchronization

/// Counters in a file that any number of processes update at once, without a lock.
///
/// The file is mapped shared, and every access is a 64-bit atomic one. The caller must ensure that the file is as long
/// as stated and that its space is reserved: touching a page beyond the end, or a sparse one on a full disk, raises
/// SIGBUS. Other processes may still truncate the file at any time. If they do, the counters are lost: all of them read
/// as 0 from then on, and additions have no effect.
///
/// After ``handleBusErrors()`` that always holds, also if the disk fails. Without it, the file's length is checked
/// before each access, which leaves some nanoseconds in which a truncation ends the process, and so does a disk that
/// cannot give a page back.
///
/// Reading and writing under a lock instead needs no handler, but four system calls for each stored image: a cold list
/// took 1.045 of the processor time.
// Proof: `base` points to `count` aligned words that stay mapped until deinit. Every access is atomic and checked
// against `count`, so threads and processes may share them. The mapping outlives the descriptor.
@safe
package final class MappedCounters: @unchecked Sendable {
  private let base: UnsafeMutablePointer<Atomic<UInt64>>
  package let count: Int
  /// The handler's record of this memory, or nil if there is no handler.
  private let guarding: OpaquePointer?
  /// The file if there is no handler, for its length.
  private let unguarded: SharedDescriptor?

  /// Has all counters that are mapped from now on outlive the loss of their file, by a handler for SIGBUS. It is
  /// installed for the whole process and for good, and passes signals about other memory on to the previous handler.
  package static func handleBusErrors() { imgfetch_mapping_handle_bus_errors() }

  /// Maps the first `count` words of a file that is open for reading and writing.
  package init(mapping file: consuming Descriptor, count: Int) throws(SystemError) {
    let raw = file.raw
    let length = count * MemoryLayout<UInt64>.stride
    let address = try SystemCall.mmap.perform { () -> Int in
      let address = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, raw, 0)
      return Int(bitPattern: address)  // MAP_FAILED is -1, as of other calls
    }
    guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: address) else { throw SystemError(.mmap, .noMemory) }
    unsafe base = pointer.bindMemory(to: Atomic<UInt64>.self, capacity: count)
    self.count = count
    let guarding = unsafe imgfetch_mapping_guard(pointer, length)
    unsafe self.guarding = guarding
    unguarded = unsafe guarding == nil ? SharedDescriptor(file) : nil
  }

  deinit {
    if let guarding = unsafe guarding { unsafe imgfetch_mapping_release(guarding) }
    SystemCall.munmap.attempt { unsafe munmap(base, count * MemoryLayout<UInt64>.stride) }
  }

  /// True if the words at these places may be touched.
  private func holds(_ places: Range<Int>) -> Bool {
    guard places.lowerBound >= 0, places.upperBound <= count else { return false }
    guard let unguarded else { return true }
    return (try? unguarded.file.status().size >= Int64(count * MemoryLayout<UInt64>.stride)) == true
  }

  /// The word at `index`. Out of range, it reads as 0 and is not written.
  package subscript(index: Int) -> UInt64 {
    get { holds(index..<index + 1) ? unsafe base[index].load(ordering: .relaxed) : 0 }
    set { if holds(index..<index + 1) { unsafe base[index].store(newValue, ordering: .relaxed) } }
  }

  /// The words at these places. Out of range, they read as 0.
  package subscript(places: Range<Int>) -> [UInt64] {
    guard holds(places) else { return Array(repeating: 0, count: places.count) }
    return places.map { unsafe base[$0].load(ordering: .relaxed) }
  }

  /// Adds a number to the word at `index`, and another to the next. They may be negative: in two's complement it is the
  /// same addition.
  package func add(_ first: Int64, _ second: Int64, at index: Int) {
    guard holds(index..<index + 2) else { return }
    _ = unsafe base[index].wrappingAdd(UInt64(bitPattern: first), ordering: .relaxed)
    _ = unsafe base[index + 1].wrappingAdd(UInt64(bitPattern: second), ordering: .relaxed)
  }

  /// Replaces `old` by `new`. Returns false if the word is not `old`.
  package func exchange(_ old: UInt64, for new: UInt64, at index: Int) -> Bool {
    guard holds(index..<index + 1) else { return false }
    return unsafe base[index].compareExchange(expected: old, desired: new, ordering: .relaxed).exchanged
  }
}
