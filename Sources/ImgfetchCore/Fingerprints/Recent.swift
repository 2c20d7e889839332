/// The last few values that were worked out, by what they depend on.
///
/// A list's pictures often have one size. Sines and cosines that depend on nothing else were a fourteenth of all that a picture with
/// fingerprints and a thumbnail takes.
final class Recent<Key: Equatable & Sendable, Value: Sendable>: Sendable {
  private let values = Guarded<[(key: Key, value: Value)]>([])
  private let most: Int

  /// - Parameter most: how many are kept. They are searched one by one.
  init(_ most: Int) { self.most = most }

  func value(of key: Key, _ make: (Key) -> Value) -> Value {
    if let known = values.withLock({ $0.first { $0.key == key }?.value }) { return known }
    let made = make(key)
    values.withLock { values in
      if values.count >= most { values.removeFirst() }
      values.append((key, made))
    }
    return made
  }
}
