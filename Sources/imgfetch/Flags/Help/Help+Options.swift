extension Help {
  /// `imgfetch help options`: every option of `get` with its value, its default and where the value came from.
  static func options(_ resolved: Resolved) -> String {
    var rows = [["OPTION", "VALUE", "DEFAULT", "FROM"]]
    for flag in Flag.taken(by: .get) where flag.id != .help && flag.id != .version && flag.standsFor == nil {
      rows.append([
        flag.long, value(of: flag, resolved[flag.id]), standard(of: flag), origin(of: flag, resolved[flag.id]),
      ])
    }
    return TextLayout.table(rows, columns: optionColumns, width: width)
  }

  /// As wide as the longest names of an option and, behind these three, of a variable (key-ignore-param); values and defaults share what
  /// is left of the width.
  private static let optionColumns = [16, 16, 17]

  private static func standard(of flag: Flag) -> String {
    switch flag.arity {
    case .toggle: flag.isOnByDefault ? "yes" : "no"
    case .counter: "0"
    case .value: flag.standard ?? flag.unsetMeaning
    }
  }

  private static func value(of flag: Flag, _ entry: Resolved.Entry?) -> String {
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

  private static func origin(of flag: Flag, _ entry: Resolved.Entry?) -> String {
    guard let entry else { return flag.sources == .commandLine ? "command line only" : "default" }
    guard case .values(let values) = entry.state else { return place(entry.source) }
    var places: [String] = []
    for place in values.map({ place($0.source) }) where !places.contains(place) { places.append(place) }
    return places.joined(separator: ", ")
  }

  private static func place(_ source: Source) -> String {
    switch source {
    case .standard: "default"
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
