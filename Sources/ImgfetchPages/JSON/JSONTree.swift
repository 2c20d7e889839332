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

  /// The elements of an array; of anything else the thing itself, since a list of one is often written so.
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
    case (.object(let one), .object(let other)):
      one.elementsEqual(other) { $0.key == $1.key && $0.value == $1.value }
    case (.array(let one), .array(let other)): one == other
    case (.string(let one), .string(let other)), (.literal(let one), .literal(let other)): one == other
    default: false
    }
  }
}

/// Builds a tree of the events of one value. Parts beyond its bounds are left out.
struct JSONTreeBuilder: Sendable {
  private var open: [JSONTree] = []
  private var keys: [[UInt8]?] = []
  private var key: [UInt8]?
  private var count = 0
  private static let mostValues = 20_000
  private static let mostBytes = 1 << 20

  /// Takes an event; returns the value once it is whole.
  mutating func take(_ event: JSONEvent) -> JSONTree? {
    switch event {
    case .key(let name):
      key = name
      return nil
    case .beginObject: return begin(.object([]))
    case .beginArray: return begin(.array([]))
    case .endObject, .endArray:
      guard let value = open.popLast() else { return nil }
      key = keys.removeLast()
      return add(value, costing: 0)
    case .string(let text): return add(.string(text), costing: text.count)
    case .literal(let text): return add(.literal(text), costing: text.count)
    }
  }

  private mutating func begin(_ value: JSONTree) -> JSONTree? {
    open.append(value)
    keys.append(key)
    key = nil
    return nil
  }

  private mutating func add(_ value: JSONTree, costing bytes: Int) -> JSONTree? {
    count += bytes + Self.mostBytes / Self.mostValues
    let name = key
    key = nil
    guard let outer = open.popLast() else { return value }
    if count > Self.mostBytes {
      open.append(outer)
    } else {
      switch outer {
      case .object(var members):
        if let name { members.append((name, value)) }
        open.append(.object(members))
      case .array(var elements):
        elements.append(value)
        open.append(.array(elements))
      case .string, .literal: open.append(outer)
      }
    }
    return nil
  }
}
