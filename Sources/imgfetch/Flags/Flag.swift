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
  /// The value that stands for a missing one. An argument after a space is then not the value, unless it is a word that
  /// a shell offers: else only `=` gives one. Nil if the option always takes a value.
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
    _ category: Category, secret: Secret? = nil, excludes: [FlagID] = [], replaces: [FlagID] = [], help: String,
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
    .value("FILE", Values.text, completing: .files, set)
  }

  static func folder(_ set: @escaping Setter<String>) -> Flag.Kind {
    .value("DIR", Values.text, completing: .folders, set)
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

  /// The value where none is joined to its name: the next argument; of an option that may stand by itself only if that
  /// is one of its words.
  func value(before rest: inout ArraySlice<String>) -> String? {
    guard let implied else { return rest.popFirst() }
    guard case .words(let words) = completion, let next = rest.first,
      words().contains(where: { $0 == next || next.hasPrefix($0 + ":") })
    else { return implied }
    return rest.popFirst()
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
}

/// Masks the secret part of an option's value, so that it can be shown and logged.
enum Secrets {
  static let mask = "***"

  static func masked(_ text: String, of flag: Flag) -> String {
    switch flag.secret {
    case nil: text
    case .password?: text.contains(":") ? text.prefix { $0 != ":" } + ":" + mask : text
    case .headerValue?: masked(header: text)
    case .cookieValue?: text.prefix { $0 != "=" } + "=" + mask
    case .url?: masked(url: text)
    }
  }

  /// Shows the value of header fields that never hold a secret. Any other may be a token.
  private static func masked(header text: String) -> String {
    let name = text.prefix { $0 != ":" && $0 != ";" }
    let harmless = ["accept", "accept-language", "user-agent", "referer", "cache-control", "pragma", "range"]
    return harmless.contains(name.lowercased()) ? text : name + ": " + mask
  }

  /// User info is the text between `//` (or the beginning) and the last `@` of the authority.
  static func masked(url text: String) -> String {
    let bytes = text.utf8
    var start = bytes.startIndex
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let next = bytes.index(after: index)
      if bytes[index] == UInt8(ascii: "/"), next < bytes.endIndex, bytes[next] == UInt8(ascii: "/") {
        start = bytes.index(after: next)
        break
      }
      index = next
    }
    let isEnd = { (byte: UInt8) in
      byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
    let end = bytes[start...].firstIndex(where: isEnd) ?? bytes.endIndex
    guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) else { return text }
    return String(text[..<start]) + mask + String(text[at...])
  }
}

/// The identifiers of the options, in the order of the table.
enum FlagID: UInt8, CaseIterable, Sendable {
  // Images
  case input, recursive, null, listFormat, urlColumn, maxList, shard, allowHost, denyHost, denyPrivate, robots,
    refuseTag
  // Sources
  case from, kind, allSizes, base, sameHost, maxPage, maxPages, table
  // Where they go
  case outputDir, output, name, clobber, adopt, overwrite, placeholder, remoteTime, xattr, contentDisposition, prune
  case failedList, failFast
  // Data sets
  case perShard, shardBy, splitHost, again, maxTransient, ignoreRobotsTag, rows
  case maxInvalid, memberExt, without, purpose, refuseNoindex, extend, stats
  case captionColumn, idColumn, hashColumn, `where`
  // Pictures
  case picture, size, still, preview
  // Reports
  case against, list, html, pictures, duplicates, keep, same, unique
  // Caches
  case cache, offline, cacheDir, namespace, readOnlyCache, memoryLimit, memoryCount, maxAge, maxSize
  case keyIgnoreQuery, keyIgnoreParam, keyIgnoreHeader, cacheKey, retryFailed, skipFailed, stale, autoClean,
    cacheDerived
  case remoteCache, remoteCacheMode, remoteCacheTimeout, remoteCacheWait
  // Network
  case jobs, perHost, order, limitRate, rate, timeout, leastSpeed, connectTimeout, maxTime, retry
  case outage, maxRedirects, allowDowngrade
  case maxBytes
  case acceptFormats, acceptStatus, mirror, resolve, proxy, http1, ipv4, ipv6
  // Identity and trust
  case header, userAgent, contact, referer, user, netrc, bearerFile, cookie, cookieJar, cacert, cert, key
  case insecure, storeBearerFile, storeCert, storeKey
  // Accepted images
  case verify, strict, sandbox, maxPixels, minSize, maxAspect, onlyFormat
  // Transforms
  case resize, fit, pad, crop, autoOrient, flip, rotate, convert, quality, speed, background, strip, keepMetadata
  case firstFrame
  // Output
  case ordered, json, framed, jsonHeaders, checksum, fingerprint, exif, writeOut, report, print, exitZero, progress
  // The cache's own
  case exact, dryRun, repair, sort, print0
  // General
  case quiet, verbose, color, config, help, version
}

extension Flag {
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

extension FlagID {
  /// The option's row of the table. `FlagID` and the table have the same order, so this is one array access in one of
  /// the groups.
  var flag: Flag {
    var place = Int(rawValue)
    for group in Flag.groups {
      if place < group.count { return group[place] }
      place -= group.count
    }
    // Never reached: a test checks that the table has as many rows as there are identifiers.
    return Flag.general[0]
  }
}
