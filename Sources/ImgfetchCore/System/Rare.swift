/// Something large that is mostly not there, kept outside the value that it belongs to.
///
/// A value that goes from hand to hand is copied at each step; what it holds seldom should not make every copy long. A word
/// stands for it: nil costs nothing, and a copy is one retain.
@propertyWrapper
package struct Rare<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var box: Box?

  package init(wrappedValue: Value?) { box = wrappedValue.map(Box.init) }

  package var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map(Box.init) }
  }
}
