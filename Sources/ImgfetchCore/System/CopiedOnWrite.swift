/// A value with many parts, kept in one place for all its copies until one of them is changed.
///
/// A value that goes from hand to hand is copied at each step, and a copy retains each of its parts; this one is one retain.
package struct CopiedOnWrite<Values: Sendable>: Sendable {
  // Sendable: the box is written to only while nobody else refers to it.
  private final class Box: @unchecked Sendable {
    var values: Values
    init(_ values: Values) { self.values = values }
  }

  private var box: Box

  package init(_ values: Values) { box = Box(values) }

  package var values: Values {
    _read { yield box.values }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.values) }
      yield &box.values
    }
  }
}
