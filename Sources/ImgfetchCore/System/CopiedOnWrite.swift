/// A value with many fields that its copies share until one of them changes it.
///
/// A copy costs one retain, and not one for each field. That matters for values that are passed along at every step.
package struct CopiedOnWrite<Values: Sendable>: Sendable {
  // Proof: the box is written to only while it has a single reference.
  private final class Box: @unchecked Sendable {
    // Unchecked: see the proof below. The check would cost 90 instructions at each access to each field, and fields are
    // read dozens of times for an image.
    @exclusivity(unchecked) var values: Values
    init(_ values: Values) { unsafe self.values = values }
  }

  private var box: Box

  package init(_ values: Values) { box = Box(values) }

  // Proof that no access overlaps with a change to the same box: by the law of exclusivity a change has this value to
  // itself, and it has just checked that no other value refers to the box.
  package var values: Values {
    _read { yield unsafe box.values }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = unsafe Box(box.values) }
      yield unsafe &box.values
    }
  }
}
