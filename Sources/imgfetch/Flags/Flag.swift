/// One option of the program, as the table (`Table/`) defines it: everything that the parser, help, the manual and the
/// completions say about it comes from here and nowhere else.
///
/// All fields are literals, so that making the whole table costs microseconds and no text is read before it is asked for.
struct Flag: Sendable {
  /// Whether an option takes a value.
  enum Arity: Sendable {
    /// On or off.
    case toggle
    /// On, several times over (`-vv`).
    case counter
    /// Takes a value, shown as `placeholder`.
    case value(placeholder: String, kind: ValueKind)
  }

  /// Who may set an option beside the command line.
  enum Sources: Sendable {
    /// The environment and the configuration file.
    case anywhere
    /// The environment: `--config` itself cannot stand in the file it names.
    case environment
    /// Nobody: operands, transforms, and what would be a trap if it came from a forgotten file.
    case commandLine
  }

  let id: FlagID
  let long: String
  let short: Unicode.Scalar?
  let arity: Arity
  /// The default as typed, which the same parser reads as what a user types. Nil: unset, and `unsetMeaning` tells what then.
  let standard: String?
  let unsetMeaning: String
  let isRepeatable: Bool
  let commands: CommandSet
  let sources: Sources
  let category: Category
  /// Values are masked wherever they are shown.
  let isSecret: Bool
  /// Given together by one source these are a mistake; the stronger source wins otherwise.
  let excludes: [FlagID]
  /// Setting this one unsets those (`-4`, `-6`).
  let replaces: [FlagID]
  /// Another option's value that this switch is short for.
  let standsFor: StandsFor?
  /// One line, fit for a list of 80 columns.
  let help: String
  /// A paragraph or more.
  let more: String
  let example: String?

  struct StandsFor: Sendable {
    let id: FlagID
    let value: String
  }

  init(
    _ id: FlagID, _ long: String, short: Unicode.Scalar? = nil, _ arity: Arity = .toggle, standard: String? = nil,
    unset: String = "", repeatable: Bool = false, on commands: CommandSet, from sources: Sources = .anywhere,
    _ category: Category, secret: Bool = false, excludes: [FlagID] = [], replaces: [FlagID] = [],
    standsFor: StandsFor? = nil, help: String, more: String, example: String? = nil
  ) {
    self.id = id
    self.long = long
    self.short = short
    self.arity = arity
    self.standard = standard
    self.unsetMeaning = unset
    self.isRepeatable = repeatable
    self.commands = commands
    self.sources = sources
    self.category = category
    self.isSecret = secret
    self.excludes = excludes
    self.replaces = replaces
    self.standsFor = standsFor
    self.help = help
    self.more = more
    self.example = example
  }
}

extension Flag {
  /// The groups in which help lists the options, in that order.
  enum Category: String, CaseIterable, Sendable {
    case selection = "Which images"
    case output = "Where they go"
    case cache = "Caches"
    case network = "Network"
    case credentials = "Identity and trust"
    case image = "What is accepted"
    case transform = "Transforms, in the order given"
    case report = "What is printed"
    case maintenance = "The cache's own"
    case general = "General"
  }

  /// `--name`.
  var spelling: String { "--" + long }

  /// The environment variable that sets it.
  var variable: String {
    var name = "IMGFETCH_"
    for byte in long.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): name.unicodeScalars.append(Unicode.Scalar(byte - 32))
      case UInt8(ascii: "0")...UInt8(ascii: "9"): name.unicodeScalars.append(Unicode.Scalar(byte))
      default: name.append("_")
      }
    }
    return name
  }

  var takesValue: Bool {
    if case .value = arity { true } else { false }
  }

  var kind: ValueKind? {
    if case .value(_, let kind) = arity { kind } else { nil }
  }

  var placeholder: String? {
    if case .value(let placeholder, _) = arity { placeholder } else { nil }
  }

  /// A switch that is on unless it is told otherwise, and so is shown by its negation.
  var isOnByDefault: Bool { !takesValue && standard == "true" }

  /// Whether `--no-NAME` exists: for switches, for repeatable options (it empties them) and for options that are
  /// unset by default (it unsets them again, whatever the environment or the file said).
  var isNegatable: Bool {
    if id == .help || id == .version { return false }
    return !takesValue || isRepeatable || standard == nil
  }
}

extension Flag {
  /// The table, group by group, in the order of `FlagID`, which a test holds it to. The groups are not copied into one
  /// array: that took a third of the time in which a whole command line is understood.
  static let groups: [[Flag]] = [
    selection, output, cache, network, credentials, image, transform, report, maintenance, general,
  ]

  /// The whole table, for those who have time: help, the manual, completions.
  static var all: [Flag] { Array(groups.joined()) }

  static func first(where matches: (Flag) -> Bool) -> Flag? {
    for group in groups {
      for flag in group where matches(flag) { return flag }
    }
    return nil
  }

  static func named(_ long: Substring) -> Flag? { first { $0.long == long } }

  static func short(_ letter: Unicode.Scalar) -> Flag? { first { $0.short == letter } }

  /// The options that a command takes, in the order of the table.
  static func taken(by command: Command) -> [Flag] { all.filter { $0.commands.contains(CommandSet(command)) } }
}

extension FlagID {
  /// Its definition. `FlagID` and the table stand in the same order, so this is one array access in one of the groups.
  var flag: Flag {
    var place = Int(rawValue)
    for group in Flag.groups {
      if place < group.count { return group[place] }
      place -= group.count
    }
    // Never reached: the table has as many options as there are names, which a test counts.
    return Flag.general[0]
  }
}
