import Synchronization

/// A folder that outputs go to, open, and what has been learnt of it.
package final class OutputFolder: Sendable {
  package let descriptor: SharedDescriptor
  /// Whose files are believed here.
  let user: UInt32
  private let emptiness: Atomic<UInt8>
  private let refusesMarks = Atomic<Bool>(false)

  private static let unknown: UInt8 = 0
  private static let empty: UInt8 = 1
  private static let filled: UInt8 = 2

  /// - Parameter isNew: whether this run has made it.
  init(_ descriptor: consuming Descriptor, isNew: Bool, user: UInt32) {
    self.descriptor = SharedDescriptor(descriptor)
    self.user = user
    emptiness = Atomic(isNew ? Self.empty : Self.unknown)
  }

  /// Whether nothing was in it when this was asked for the first time: then no earlier run has left names here, and none needs
  /// to be looked for.
  func wasEmpty() -> Bool {
    let known = emptiness.load(ordering: .relaxed)
    if known != Self.unknown { return known == Self.empty }
    let found = (try? descriptor.file.isEmptyFolder()) == true ? Self.empty : Self.filled
    // The first to look was there before anything of this run was.
    let (isFirst, earlier) = emptiness.compareExchange(expected: Self.unknown, desired: found, ordering: .relaxed)
    return (isFirst ? found : earlier) == Self.empty
  }

  /// Whether files here can carry marks, as far as is known.
  var takesMarks: Bool { !refusesMarks.load(ordering: .relaxed) }
  func noteThatMarksAreRefused() { refusesMarks.store(true, ordering: .relaxed) }
}
