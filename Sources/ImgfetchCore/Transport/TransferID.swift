/// Identifies a transfer. The client numbers its transfers itself and never reuses a number.
package struct TransferID: Hashable, Sendable {
  package let number: UInt64

  package init(number: UInt64) { self.number = number }
}
