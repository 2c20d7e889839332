/// The process's environment, as a value that the caller reads once and passes on.
///
/// Entries stay bytes until they are needed: a run looks up a dozen names, most of which are unset.
struct Environment: Sendable, ExpressibleByDictionaryLiteral {
  /// `NAME=value`, each.
  private let entries: [[UInt8]]

  /// Entries of the form `NAME=value`, as the kernel passes them.
  init(entries: [[UInt8]]) { self.entries = entries }

  init(dictionaryLiteral elements: (String, String)...) {
    self.init(entries: elements.map { Array("\($0.0)=\($0.1)".utf8) })
  }

  /// The value of a variable; nil if it is unset or not UTF-8.
  subscript(_ name: String) -> String? {
    let length = name.utf8.count
    for entry in entries
    where entry.count > length && entry[length] == UInt8(ascii: "=") && entry.starts(with: name.utf8) {
      if let value = String(validating: entry[(length + 1)...], as: UTF8.self) { return value }
    }
    return nil
  }

  func variables(beginningWith prefix: String) -> [(name: String, value: String)] {
    entries.filter { $0.starts(with: prefix.utf8) }.compactMap { entry in
      guard let equals = entry.firstIndex(of: UInt8(ascii: "=")),
        let name = String(validating: entry[..<equals], as: UTF8.self),
        let value = String(validating: entry[(equals + 1)...], as: UTF8.self)
      else { return nil }
      return (name: name, value: value)
    }
  }

  /// The value of a variable that is set and not empty.
  func filled(_ name: String) -> String? {
    guard let value = self[name], !value.isEmpty else { return nil }
    return value
  }

  /// The user's home folder. A relative path counts as unset: nothing is read from the working directory, or kept there
  /// unasked.
  var home: String? { filled("HOME").flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil } }

  /// One of the XDG base directories, or its default below HOME. A relative path counts as unset, as the specification
  /// says.
  func baseFolder(_ variable: String, underHome fallback: String) -> String? {
    if let folder = filled(variable), folder.hasPrefix("/") { return folder }
    return home.map { $0 + "/" + fallback }
  }
}
