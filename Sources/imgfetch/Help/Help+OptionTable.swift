extension Help {
  /// `imgfetch help options`: every option with its value, its default and its source.
  static func options(_ resolved: ResolvedOptions) -> String {
    var rows = [["OPTION", "VALUE", "DEFAULT", "FROM"]]
    for flag in Flag.all where flag.id != .help && flag.id != .version {
      let entry = entry(of: flag, resolved)
      rows.append([flag.long, value(of: flag, entry), standard(of: flag), origin(of: flag, entry)])
    }
    return TextLayout.table(rows, columns: optionColumns, width: width)
  }

  /// The first and the fourth column fit the longest option name and the longest variable name (key-ignore-param).
  /// Values and defaults share the rest.
  private static let optionColumns = [16, 16, 17]

  /// The entry of an option. A switch that is short for a value of another option is on if that has the value, however
  /// it was set.
  private static func entry(of flag: Flag, _ resolved: ResolvedOptions) -> ResolvedOptions.Entry? {
    guard let other = flag.shorthand else { return resolved[flag.id] }
    guard case .values(let values)? = resolved[other.id]?.state, let last = values.last, last.text == other.value else {
      return nil
    }
    return ResolvedOptions.Entry(state: .on, source: last.source)
  }

  private static func standard(of flag: Flag) -> String {
    switch flag.kind {
    case .toggle, .shorthand: flag.isOnByDefault ? "yes" : "no"
    case .counter: "0"
    case .argument: flag.defaultValue ?? flag.unset
    }
  }

  private static func value(of flag: Flag, _ entry: ResolvedOptions.Entry?) -> String {
    switch entry?.state {
    case nil: standard(of: flag)
    case .on?: "yes"
    case .off?: "no"
    case .counted(let count)?: "\(count)"
    case .negated?: flag.takesValue ? "none" : standard(of: flag)
    case .values(let values)?:
      values.map { Secrets.masked($0.text, of: flag).map(harmless).reduce("", +) }.joined(separator: ", ")
    }
  }

  private static func origin(of flag: Flag, _ entry: ResolvedOptions.Entry?) -> String {
    guard let entry else { return flag.sources == .commandLine ? "command line only" : "default" }
    guard case .values(let values) = entry.state else { return place(entry.source) }
    var places: [String] = []
    for place in values.map({ place($0.source) }) where !places.contains(place) { places.append(place) }
    return places.joined(separator: ", ")
  }

  private static func place(_ source: Source) -> String {
    switch source {
    case .defaultValue: "default"
    case .file(let path, let line): "\(path):\(line)"
    case .environment(let variable): variable
    case .commandLine(let spelling): spelling
    }
  }

  /// A control character in a variable must not reach the terminal.
  private static func harmless(_ character: Character) -> String {
    let isControl = character.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    return isControl ? "?" : String(character)
  }
}
