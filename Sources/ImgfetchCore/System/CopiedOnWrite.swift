/// A value with many parts, kept in one place for all its copies until one of them is changed.
///
/// A value that goes from hand to hand is copied at each step, and a copy retains each of its parts; this one is one retain.
package struct CopiedOnWrite<Values: Sendable>: Sendable {
  // Sendable: the box is written to only while nobody else refers to it.
  private final class Box: @unchecked Sendable {
    // Unchecked: `CopiedOnWrite` owns the one way to it, see there. The check would cost 90 instructions at each reading of each
    // part, and these are read dozens of times for an image.
    @exclusivity(unchecked) var values: Values
    init(_ values: Values) { unsafe self.values = values }
  }

  private var box: Box

  package init(_ values: Values) { box = Box(values) }

  // Proof that no two accesses to a box overlap, one of them a change: what changes it has this value to itself, as the law of
  // exclusivity has it for any value, and has just seen that no other value refers to the box.
  package var values: Values {
    _read { yield unsafe box.values }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = unsafe Box(box.values) }
      yield unsafe &box.values
    }
  }
}
