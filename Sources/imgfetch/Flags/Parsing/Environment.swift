/// The environment as the program was given it. A plain value: whoever stands at the rim reads it and hands it in.
struct Environment: Sendable, ExpressibleByDictionaryLiteral {
  let variables: [(name: String, value: String)]

  init(_ variables: [(name: String, value: String)]) { self.variables = variables }

  init(dictionaryLiteral elements: (String, String)...) { self.init(elements.map { (name: $0.0, value: $0.1) }) }

  /// From entries of the form `NAME=value`, as the kernel hands them over.
  init(entries: some Sequence<String>) {
    self.init(
      entries.compactMap { entry in
        guard let equals = entry.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        return (name: String(entry[..<equals]), value: String(entry[entry.index(after: equals)...]))
      })
  }

  subscript(_ name: String) -> String? { variables.first { $0.name == name }?.value }

  /// A variable that is set and not empty.
  func filled(_ name: String) -> String? {
    guard let value = self[name], !value.isEmpty else { return nil }
    return value
  }

  /// One of the XDG base directories, or its place under HOME. A relative path in the variable counts as not set, as
  /// that specification wants it.
  func baseFolder(_ variable: String, underHome fallback: String) -> String? {
    if let folder = filled(variable), folder.hasPrefix("/") { return folder }
    return filled("HOME").map { $0 + "/" + fallback }
  }
}
