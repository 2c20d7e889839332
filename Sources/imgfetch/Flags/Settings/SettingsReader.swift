import ImgfetchCore

/// Stage two: reads from the resolved text what it means. Every read checks, and falls back to the default of the table,
/// which goes through the same check; so there is one place for each default, and it is the one that help shows.
struct SettingsReader {
  let resolved: Resolved
  let command: Command
  /// For `~/` in the configuration file, where no shell expands it.
  let home: String?

  func isOn(_ id: FlagID) -> Bool {
    switch resolved[id]?.state {
    case .on?: true
    case .off?: false
    default: id.flag.isOnByDefault
    }
  }

  func counted(_ id: FlagID) -> Int {
    if case .counted(let count)? = resolved[id]?.state { count } else { 0 }
  }

  /// How strong the source is that said something of it.
  func strength(_ id: FlagID) -> Int { (resolved[id]?.source ?? .standard).strength }

  func isNegated(_ id: FlagID) -> Bool { resolved[id]?.state == .negated }

  /// The value, or the default; nil where neither is set, or it was unset.
  func value<Value>(
    _ id: FlagID, _ read: (String) throws(Values.Wanted) -> Value
  ) throws(UsageError) -> Value? {
    if let entry = resolved[id], case .values(let values) = entry.state, let given = values.last {
      return try check(given.text, id.flag, given.source, read)
    }
    guard let standard = id.flag.standard else { return nil }
    return try check(standard, id.flag, .standard, read)
  }

  /// All values of a repeatable option.
  func values<Value>(
    _ id: FlagID, _ read: (String) throws(Values.Wanted) -> Value
  ) throws(UsageError) -> [Value] {
    guard let entry = resolved[id], case .values(let given) = entry.state else { return [] }
    var values: [Value] = []
    for one in given { values.append(try check(one.text, id.flag, one.source, read)) }
    return values
  }

  func check<Value>(
    _ text: String, _ flag: Flag, _ source: Source, _ read: (String) throws(Values.Wanted) -> Value
  ) throws(UsageError) -> Value {
    do {
      return try read(expandingHome(text, flag, source))
    } catch {
      // What is secret stays so in a message that ends up in a log.
      let shown = flag.isSecret ? "what was given" : "'\(text)'"
      throw UsageError("\(source.naming(flag)) cannot be \(shown): \(error.text)", of: command)
    }
  }

  private func expandingHome(_ text: String, _ flag: Flag, _ source: Source) -> String {
    guard case .file = source, let home, text.hasPrefix("~/") else { return text }
    switch flag.kind {
    case .file?, .folder?: return home + text.dropFirst(1)
    default: return text
    }
  }
}

extension SettingsReader {
  func text(_ id: FlagID) throws(UsageError) -> String? { try value(id, Values.text) }
  func texts(_ id: FlagID) throws(UsageError) -> [String] { try values(id, Values.text) }

  func choice<C: Choice>(_ id: FlagID, or fallback: C) throws(UsageError) -> C {
    try value(id) { (text) throws(Values.Wanted) in try Values.choice(text, C.self) } ?? fallback
  }

  func count(_ id: FlagID) throws(UsageError) -> Int? {
    guard case .count(let range)? = id.flag.kind else { return nil }
    return try value(id) { (text) throws(Values.Wanted) in try Values.count(text, in: range) }
  }

  func size(_ id: FlagID) throws(UsageError) -> Int? { try value(id, Values.size) }

  func span(_ id: FlagID) throws(UsageError) -> Instant.Span? {
    try value(id, Values.duration).map { Instant.Span(nanoseconds: $0) }
  }

  /// A limit of time, where 0 is none.
  func limit(_ id: FlagID) throws(UsageError) -> Instant.Span? {
    guard let span = try span(id), span.nanoseconds > 0 else { return nil }
    return span
  }
}
