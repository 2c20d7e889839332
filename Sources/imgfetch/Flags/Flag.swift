/// One option of the program, as defined by its row of the table: its names, its type, what it sets, and the texts of
/// help, manual and completions. Nothing about an option is defined anywhere else.
///
/// Rows are literals and closures without captures, so that making the whole table takes microseconds. They are
/// objects, since the table is searched often: as values, copying them took a seventh of the instructions of an image
/// from the cache.
final class Flag: Sendable {
  typealias Setter<Value> = @Sendable (inout Settings, Value) -> Void

  /// The form of an option: its value, if it takes one, and the setting that it changes.
  enum Kind: Sendable {
    /// A switch: on or off.
    case toggle(Setter<Bool>)
    /// A switch that counts (`-vv`).
    case counter(Setter<Int>)
    /// A switch that is short for a value of another option.
    case shorthand(for: FlagID, value: String)
    /// Takes a value, shown as `placeholder`. A repeatable option is read once for each of its values.
    case argument(
      placeholder: String, completion: Completion, read: @Sendable (inout Settings, String) throws(ValueError) -> Void)
  }

  /// The values that a shell offers.
  enum Completion: Sendable {
    case words(@Sendable () -> [String])
    /// Words that may be joined by commas.
    case list(@Sendable () -> [String])
    case files
    case folders
    /// Values that a shell cannot know.
    case nothing
  }

  /// The places where an option may be set, in addition to the command line.
  enum Sources: Sendable {
    /// The environment and the configuration file.
    case anywhere
    /// The environment only: the file cannot contain `--config`, which names it.
    case environment
    /// The command line only: operands, transforms, and options that would be a trap in a forgotten file.
    case commandLine
  }

  /// The secret part of a value.
  enum Secret: Sendable {
    /// The text after the first colon.
    case password
    /// The value of a header field that may hold a token.
    case headerValue
    /// The text after the first `=`.
    case cookieValue
    /// The user info of a URL.
    case url
  }

  let id: FlagID
  let long: String
  let short: Unicode.Scalar?
  let kind: Kind
  /// The default as typed, which goes through the same parser. It is nil for an option that is unset by default:
  /// `unset` describes the effect of that.
  let defaultValue: String?
  let unset: String
  /// The value that stands for a missing one. An argument after a space is then the value only if it is a word that a
  /// shell offers, or a bare word that can be no operand. Nil if the option always takes a value.
  let implied: String?
  let isRepeatable: Bool
  /// True if the option is a step of a transform. Steps are applied in the order in which they were typed.
  let isStep: Bool
  let commands: CommandSet
  let sources: Sources
  let category: Category
  /// The part that is masked where values are shown; nil if values hold no secret.
  let secret: Secret?
  /// Options that may not come from the same source; from different sources the stronger one wins.
  let excludes: [FlagID]
  /// Options of ``excludes`` that this one does not overrule: without them the run would do more than was asked for.
  let respects: [FlagID]
  /// Options that this one unsets (`-4`, `-6`).
  let replaces: [FlagID]
  /// One line, fit for a list of 80 columns.
  let help: String
  /// A paragraph or more.
  let details: String
  let example: String?

  init(
    _ id: FlagID, _ long: String, short: Unicode.Scalar? = nil, _ kind: Kind, default defaultValue: String? = nil,
    unset: String = "", implied: String? = nil, repeatable: Bool = false, step: Bool = false, on commands: CommandSet,
    from sources: Sources = .anywhere,
    _ category: Category, secret: Secret? = nil, excludes: [FlagID] = [], respects: [FlagID] = [],
    replaces: [FlagID] = [], help: String,
    details: String, example: String? = nil
  ) {
    self.id = id
    self.long = long
    self.short = short
    self.kind = kind
    self.defaultValue = defaultValue
    self.unset = unset
    self.implied = implied
    self.isRepeatable = repeatable
    self.isStep = step
    self.commands = commands
    self.sources = sources
    self.category = category
    self.secret = secret
    self.excludes = excludes
    self.respects = respects
    self.replaces = replaces
    self.help = help
    self.details = details
    self.example = example
  }
}

extension Flag.Kind {
  typealias Setter = Flag.Setter

  /// A value, read by `parse`.
  static func value<Value>(
    _ placeholder: String, _ parse: @escaping @Sendable (String) throws(ValueError) -> Value,
    completing completion: Flag.Completion = .nothing, _ set: @escaping Setter<Value>
  ) -> Flag.Kind {
    .argument(placeholder: placeholder, completion: completion) { (settings, text) throws(ValueError) in
      set(&settings, try parse(text))
    }
  }

  static func file(_ set: @escaping Setter<String>) -> Flag.Kind {
    .value("FILE", Values.path, completing: .files, set)
  }

  static func folder(_ set: @escaping Setter<String>) -> Flag.Kind {
    .value("DIR", Values.path, completing: .folders, set)
  }

  /// One of a few words.
  static func choice<C: Choice>(_ placeholder: String, _: C.Type, _ set: @escaping Setter<C>) -> Flag.Kind {
    .value(
      placeholder, { (text) throws(ValueError) in try Values.choice(text, C.self) }, completing: .words { C.words }, set
    )
  }

  /// Several of them, separated by commas.
  static func choices<C: Choice>(_ placeholder: String, _: C.Type, _ set: @escaping Setter<[C]>) -> Flag.Kind {
    .value(
      placeholder, { (text) throws(ValueError) in try Values.choices(text, C.self) }, completing: .list { C.words }, set
    )
  }
}

extension Flag {
  /// The groups of options in the help, in that order.
  enum Category: String, CaseIterable, Sendable {
    case selection = "Which images"
    case output = "Where they go"
    case dataSet = "Data sets"
    case picture = "Pictures"
    case rows = "Reports and duplicates"
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

  /// The value where none is joined to its name: the next argument. For an option that may stand by itself that has to
  /// be one of its words, or one that can be nothing else: a misspelt word must not count as an operand, with which the
  /// run would do something else than was asked for.
  ///
  /// - Parameters:
  ///   - command: the command, or nil while it is unknown; the next word may then be that.
  ///   - exists: Returns true if there is a file or folder of that name.
  func value(before rest: inout ArraySlice<String>, of command: Command?, _ exists: (String) -> Bool) -> String? {
    guard let implied else { return rest.popFirst() }
    guard case .words(let words) = completion, let next = rest.first else { return implied }
    let isWord = words().contains { $0 == next || next.hasPrefix($0 + ":") }
    guard isWord || Self.isMisspelt(next, of: words(), of: command, exists) else { return implied }
    return rest.popFirst()
  }

  /// True if a word can be neither an operand of the command nor an option.
  private static func isMisspelt(
    _ text: String, of words: [String], of command: Command?, _ exists: (String) -> Bool
  ) -> Bool {
    guard let command else { return false }
    let bytes = text.utf8
    // A host has a dot, a port or a path. A port behind what is nearly a word is that word's number.
    let stem = bytes.prefix { $0 != UInt8(ascii: ":") }
    guard let first = stem.first, first != UInt8(ascii: "-"), stem.allSatisfy(isOfWord) else { return false }
    guard !bytes.contains(UInt8(ascii: "/")),
      stem.count == bytes.count || !Suggestion.nearest(to: String(Substring(stem)), among: words).isEmpty
    else { return false }
    return !command.takesFiles || !exists(text)
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

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

  var takesValue: Bool { placeholder != nil }

  var placeholder: String? {
    if case .argument(let placeholder, _, _) = kind { placeholder } else { nil }
  }

  var completion: Completion {
    if case .argument(_, let completion, _) = kind { completion } else { .nothing }
  }

  /// The words that the option takes, if its text does not explain each of them; else none. A word with a colon is an
  /// example of many.
  var unexplainedWords: [String] {
    switch completion {
    case .words(let words), .list(let words):
      let words = words().filter { !$0.holds(":") }
      return words.allSatisfy(details.holds) ? [] : words
    case .files, .folders, .nothing: return []
    }
  }

  /// True if repeating the option counts (`-vv`).
  var isCounter: Bool {
    if case .counter = kind { true } else { false }
  }

  /// The option that this switch is short for, and its value.
  var shorthand: (id: FlagID, value: String)? {
    if case .shorthand(let id, let value) = kind { (id, value) } else { nil }
  }

  /// True if the option is a switch that is on by default. Help shows such a switch by its negation.
  var isOnByDefault: Bool { !takesValue && defaultValue == "true" }

  /// True if `--no-NAME` exists: for switches, for repeatable options (it empties them), and for options that are unset
  /// by default (it unsets them, even if the environment or the file sets them).
  var isNegatable: Bool {
    if id == .help || id == .version { return false }
    return !takesValue || isRepeatable || defaultValue == nil
  }

  /// The table, group by group, in the order of `FlagID`, which a test checks. The groups are not copied into one
  /// array: that took a third of the time of parsing a command line.
  static let groups: [[Flag]] = [
    SelectionFlags.all, SourceFlags.all, ResultFlags.output, DataSetFlags.all, PictureFlags.all, RowFlags.all,
    CacheFlags.all,
    RequestFlags.network,
    RequestFlags.credentials,
    ResultFlags.image, ResultFlags.transform, ResultFlags.report, ResultFlags.maintenance, general,
  ]

  /// The options of every command.
  static let general = ResultFlags.general

  /// The whole table as one array, for help, the manual and the completions.
  static var all: [Flag] { Array(groups.joined()) }

  static func first(where matches: (Flag) -> Bool) -> Flag? {
    for group in groups {
      for flag in group where matches(flag) { return flag }
    }
    return nil
  }

  static func named(_ long: Substring) -> Flag? { first { $0.long == long } }

  static func short(_ letter: Unicode.Scalar) -> Flag? { first { $0.short == letter } }

  /// True if a command takes the option, or any command for nil.
  func isTaken(by command: Command?) -> Bool { command.map { commands.contains(CommandSet($0)) } ?? true }

  /// The options that a command takes, in the order of the table.
  static func taken(by command: Command) -> [Flag] { all.filter { $0.commands.contains(CommandSet(command)) } }
}
