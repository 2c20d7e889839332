import ImgfetchCore

/// The value of each option after the file, the environment and the command line were combined. Values are still text;
/// `SettingsReader` reads them.
struct ResolvedOptions: Sendable {
  /// The state of one option.
  struct Entry: Hashable, Sendable {
    enum State: Hashable, Sendable {
      case on
      case off
      /// `--verbose`, this many times.
      case counted(Int)
      /// The values; more than one only for a repeatable option.
      case values([Value])
      /// Unset, or emptied, by `--no-NAME`.
      case negated
    }

    /// One value with its source: the values of a repeatable option may have several.
    struct Value: Hashable, Sendable {
      let text: String
      let source: Source
    }

    var state: State
    /// The last source that set it.
    var source: Source
  }

  /// One slot for each option, in the order of the table; nil if no source set it.
  private var entries = [Entry?](repeating: nil, count: FlagID.allCases.count)
  /// Warnings for the user; the run goes on.
  private(set) var warnings: [String] = []
  /// The file or the variable that asks for a dry run, whatever the command; nil if none does.
  private var dryRun: Source?

  subscript(_ id: FlagID) -> Entry? { entries[Int(id.rawValue)] }

  /// Combines the sources for one command. Options from the environment or the file that the command does not take are
  /// skipped, since all commands share those two.
  ///
  /// - Parameter command: The command, or nil for the options of all commands.
  init(_ arguments: Arguments, environment: Environment, configuration: ConfigurationFile, for command: Command?)
    throws(UsageError)
  {
    for line in configuration.lines { try apply(line, of: configuration, for: command) }
    for (name, value) in environment.variables(beginningWith: Self.prefix) where name != LibcurlSetting.variable {
      try apply(variable: name, value, for: command)
    }
    for option in arguments.options {
      let source = Source.commandLine(option.spelling)
      switch option.value {
      case .on: set(option.id.flag, .on, source)
      case .negated: set(option.id.flag, .negated, source)
      case .text(let text): set(option.id.flag, .values([Entry.Value(text: text, source: source)]), source)
      }
    }
    unsetWeakerOfFilters()
    if let command { try checkDryRun(of: command) }
    try checkExclusions(for: command)
  }

  private mutating func apply(
    _ line: ConfigurationFile.Line, of configuration: ConfigurationFile, for command: Command?
  ) throws(UsageError) {
    let place = "\(configuration.path):\(line.number)"
    guard let (flag, negated) = Self.find(line.name) else {
      let names = Flag.all.filter { $0.sources == .anywhere }.map(\.long)
      throw UsageError(
        "\(place): there is no option '\(line.name)'\(Suggestion.question(for: line.name, among: names))",
        help: ConfigurationFile.help)
    }
    guard flag.sources == .anywhere else {
      let reason = flag.sources == .commandLine ? "is for the command line only" : "cannot be set in this file"
      throw UsageError("\(place): '\(flag.long)' \(reason)", help: ConfigurationFile.help)
    }
    let source = Source.file(path: configuration.path, line: line.number)
    guard let state = try Self.state(line.value, of: flag, negated: negated, source) else { return }
    noteDryRun(flag, state, source)
    if flag.isTaken(by: command) { set(flag, state, source) }
  }

  private mutating func apply(variable: String, _ value: String, for command: Command?) throws(UsageError) {
    guard let (flag, negated) = Self.find(variable: variable) else {
      let names = Flag.all.filter { $0.sources == .anywhere }.map { String($0.variable.dropFirst(Self.prefix.count)) }
      warnings.append(
        "the environment variable \(variable) sets no option"
          + Suggestion.question(
            for: String(variable.dropFirst(Self.prefix.count)), among: names, lead: Self.prefix))
      return
    }
    guard flag.sources != .commandLine else {
      warnings.append("\(variable) is not taken from the environment; give \(flag.spelling) on the command line")
      return
    }
    guard flag.isTaken(by: command) || flag.id == .dryRun else { return }
    // Without a name there is no file, and `IMGFETCH_NO_CONFIG` counts first, as was found when it was to be read.
    if flag.id == .config, !negated, value.isEmpty || self[.config]?.state == .negated { return }
    let source = Source.environment(variable)
    guard let state = try Self.state(value, of: flag, negated: negated, source) else { return }
    noteDryRun(flag, state, source)
    guard flag.isTaken(by: command) else { return }
    // A variable with several values has one on each line, since every other character may be part of a value.
    if case .values = state, flag.isRepeatable {
      for part in value.split(separator: "\n") {
        set(flag, .values([Entry.Value(text: String(part), source: source)]), source)
      }
    } else {
      set(flag, state, source)
    }
  }

  private mutating func noteDryRun(_ flag: Flag, _ state: Entry.State, _ source: Source) {
    if flag.id == .dryRun { dryRun = state == .on ? source : nil }
  }

  /// Refuses to download, or to change the cache, where a dry run is wanted, by a command that has none.
  private func checkDryRun(of command: Command) throws(UsageError) {
    let flag = FlagID.dryRun.flag
    let repairs = self[.repair]?.state == .on
    guard let dryRun, !flag.isTaken(by: command), CommandSet.acting.contains(CommandSet(command)) || repairs else {
      return
    }
    let words = command.words + (repairs ? " " + FlagID.repair.flag.spelling : "")
    throw UsageError("\(dryRun.naming(flag)) asks for a dry run, and 'imgfetch \(words)' has none", of: command)
  }

  /// The state for a value from the file or the environment. It is nil if the value changes nothing, as `no-clobber =
  /// no` for an option that takes a value.
  static func state(
    _ value: String, of flag: Flag, negated: Bool, _ source: Source
  ) throws(UsageError) -> Entry.State? {
    if flag.takesValue && !negated {
      // An option that may stand by itself is a switch, too.
      let isOn = flag.implied == nil ? nil : truth(of: value)
      if isOn == false { return .negated }
      return .values([Entry.Value(text: isOn == true ? flag.implied ?? value : value, source: source)])
    }
    if flag.isCounter, !negated, let count = Int(value), (0...9).contains(count) {
      return count == 0 ? .negated : .counted(count)
    }
    guard let isYes = truth(of: value) else {
      throw UsageError(
        "\(source.naming(flag)) cannot be '\(value)': 1, true, yes or 0, false, no is wanted",
        help: ConfigurationFile.help)
    }
    if negated { return isYes ? .negated : flag.takesValue ? nil : .on }
    return isYes ? .on : .negated
  }

  /// The truth of a switch's value, or nil if it is none.
  private static func truth(of value: String) -> Bool? {
    switch value.lowercased() {
    case "1", "true", "yes": true
    case "0", "false", "no": false
    default: nil
    }
  }

  /// Applies one more setting. Settings come in the order of precedence.
  private mutating func set(_ flag: Flag, _ state: Entry.State, _ source: Source) {
    if let other = flag.shorthand {
      let current = self[other.id]?.state
      entries[Int(flag.id.rawValue)] = state == .on ? Entry(state: .on, source: source) : nil
      if state == .on {
        // A value from the same source stays, for `checkExclusions` to compare.
        if self[other.id]?.source.strength == source.strength { return }
        let given = Entry.Value(text: other.value, source: source)
        entries[Int(other.id.rawValue)] = Entry(state: .values([given]), source: source)
      } else if case .values(let values)? = current, values.last?.text == other.value {
        entries[Int(other.id.rawValue)] = nil
      }
      return
    }
    let slot = Int(flag.id.rawValue)
    let earlier = entries[slot]
    var state = state
    switch (flag.kind, state) {
    case (.counter, .on):
      // `-vv` counts within the command line and is not added to the environment's count.
      if case .counted(let count)? = earlier?.state, earlier?.source.strength == source.strength {
        state = .counted(count + 1)
      } else {
        state = .counted(1)
      }
    case (.toggle, .negated): state = .off
    case (.argument, .values(let added)) where flag.isRepeatable:
      if case .values(let values)? = earlier?.state { state = .values(values + added) }
    default: break
    }
    entries[slot] = Entry(state: state, source: source)
    guard state != .off && state != .negated else { return }
    for id in flag.replaces { entries[Int(id.rawValue)] = nil }
    unsetWeaker(flag, source)
  }

  /// Removes the weaker of two options that exclude each other; the one from the source with higher precedence stays:
  /// an `output-dir` in the file does not prevent a typed `-o`.
  private mutating func unsetWeaker(_ flag: Flag, _ source: Source) {
    for group in Flag.groups {
      for other in group where flag.excludes.contains(other.id) || other.excludes.contains(flag.id) {
        if flag.respects.contains(other.id) { continue }
        if let entry = self[other.id], entry.source.strength < source.strength { entries[Int(other.id.rawValue)] = nil }
      }
    }
  }

  /// Does the same for `--verify none` and the filters, which need to know what an image is: a `min-size` in the file
  /// does not prevent a typed `--verify none`.
  private mutating func unsetWeakerOfFilters() {
    guard let verify = self[.verify], case .values(let values) = verify.state,
      values.last?.text.utf8.elementsEqual(Verification.none.name.utf8) ?? false
    else { return }
    let filters = [FlagID.minSize, .maxAspect, .onlyFormat, .without, .strict].filter { self[$0]?.isSet == true }
    if filters.contains(where: { strength($0) > verify.source.strength }) {
      // The weaker filters stay, too: nothing overrules them any more.
      entries[Int(FlagID.verify.rawValue)] = nil
    } else {
      for id in filters where strength(id) < verify.source.strength { entries[Int(id.rawValue)] = nil }
    }
  }

  private func checkExclusions(for command: Command?) throws(UsageError) {
    for group in Flag.groups {
      for flag in group { try checkAgreement(of: flag, for: command) }
      for flag in group where !flag.excludes.isEmpty {
        guard let entry = self[flag.id], entry.isSet else { continue }
        for id in flag.excludes {
          guard let other = self[id], other.isSet else { continue }
          throw UsageError(
            "\(entry.source.naming(flag)) and \(other.source.naming(id.flag)) cannot be given together",
            help: Arguments.helpCommand(command))
        }
      }
    }
  }
}

extension ResolvedOptions {
  /// Checks a switch that is short for another option's value, which excludes other values of that option
  /// (`--offline --cache reload`).
  private func checkAgreement(of flag: Flag, for command: Command?) throws(UsageError) {
    guard let meant = flag.shorthand, let entry = self[flag.id], let other = self[meant.id],
      entry.source.strength == other.source.strength, case .values(let values) = other.state,
      let value = values.last, value.text != meant.value
    else { return }
    throw UsageError(
      "\(entry.source.naming(flag)) and \(value.source.naming(meant.id.flag)) \(value.text) cannot be given together",
      help: Arguments.helpCommand(command))
  }

  /// True if a switch is on, by default or because a source set it.
  func isOn(_ flag: Flag) -> Bool {
    switch self[flag.id]?.state {
    case .on?: true
    case .off?: false
    default: flag.isOnByDefault
    }
  }

  /// The number of times that a counter was given.
  func count(_ flag: Flag) -> Int {
    if case .counted(let count)? = self[flag.id]?.state { count } else { 0 }
  }

  /// The strength of the source that set an option.
  func strength(_ id: FlagID) -> Int { (self[id]?.source ?? .defaultValue).strength }
}

extension ResolvedOptions.Entry {
  var isSet: Bool { state != .off && state != .negated }
}

extension ResolvedOptions {
  /// Finds an option by its name in the file: `jobs` or `no-clobber`.
  static func find(_ name: String) -> (flag: Flag, negated: Bool)? {
    if let flag = Flag.named(name[...]) { return (flag, false) }
    if name.hasPrefix("no-"), let flag = Flag.named(name.dropFirst(3)), flag.isNegatable { return (flag, true) }
    return nil
  }

  /// The prefix of this program's variables.
  static let prefix = "IMGFETCH_"

  /// Finds an option by its variable: `IMGFETCH_JOBS` or `IMGFETCH_NO_CLOBBER`.
  static func find(variable: String) -> (flag: Flag, negated: Bool)? {
    if let flag = Flag.first(where: { $0.variable == variable }) { return (flag, false) }
    guard variable.hasPrefix(prefix + "NO_") else { return nil }
    let positive = prefix + variable.dropFirst(prefix.count + 3)
    guard let flag = Flag.first(where: { $0.isNegatable && $0.variable == positive }) else { return nil }
    return (flag, true)
  }
}
