/// A part of a JSON text as a tree, for small values that must be looked at as a whole.
package indirect enum JSONTree: Sendable, Equatable {
  case object([(key: [UInt8], value: JSONTree)])
  case array([JSONTree])
  case string([UInt8])
  case literal([UInt8])

  /// The first member of an object that has one of these names.
  subscript(names: String...) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members.first { member in names.contains { $0.utf8.elementsEqual(member.key) } }?.value
  }

  /// The elements of an array, or the value itself if it is not an array, since a list of one is often written so.
  var elements: [JSONTree] {
    if case .array(let elements) = self { elements } else { [self] }
  }

  var text: [UInt8]? {
    if case .string(let text) = self { text } else { nil }
  }

  var number: Int? {
    if case .literal(let text) = self { Int(String(decoding: text, as: UTF8.self)) } else { nil }
  }

  package static func == (one: JSONTree, other: JSONTree) -> Bool {
    switch (one, other) {
    case (.object(let one), .object(let other)): one.elementsEqual(other) { $0.key == $1.key && $0.value == $1.value }
    case (.array(let one), .array(let other)): one == other
    case (.string(let one), .string(let other)), (.literal(let one), .literal(let other)): one == other
    default: false
    }
  }
}
