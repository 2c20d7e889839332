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
