/// Values by a word that comes from outside. Each of the first words has a value of its own, and all others share one,
/// so no input takes memory without end.
package struct Counts<Value: Sendable>: Sendable {
  private var values: [String: Value] = [:]
  private let most: Int

  /// The name of what the others share.
  package static var others: String { "other" }

  package init(most: Int) { self.most = most }

  package mutating func change(_ word: String, from start: @autoclosure () -> Value, _ change: (inout Value) -> Void) {
    let word = values[word] != nil || values.count < most ? word : Self.others
    change(&values[word, default: start()])
  }

  package subscript(_ word: String) -> Value? { values[word] }

  /// All of them, the greatest first by a measure, and equal ones in the order of their words.
  package func sorted(by measure: (Value) -> Int) -> [(word: String, value: Value)] {
    values.map { (word: $0.key, value: $0.value) }.sorted {
      let (one, other) = (measure($0.value), measure($1.value))
      return one == other ? $0.word.utf8.lexicographicallyPrecedes($1.word.utf8) : one > other
    }
  }
}

extension Counts where Value == Int {
  package mutating func add(_ word: String) { change(word, from: 0) { $0 += 1 } }

  package var total: Int { values.values.reduce(0, +) }
}
