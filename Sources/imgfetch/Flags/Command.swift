/// The commands of `imgfetch`. The subcommands of `cache` are separate commands here, since each has its own options;
/// `words` is what the user types.
enum Command: UInt8, CaseIterable, Sendable {
  case get, prefetch, show, pack, find, report, inspect
  case cacheSize, cacheClean, cacheClear, cacheRemove, cacheInfo, cachePath, cacheList, cacheAdd, cacheVerify
  case completions, help

  /// The command as typed: `get`, `cache clean`.
  var words: String {
    switch self {
    case .get: "get"
    case .prefetch: "prefetch"
    case .show: "show"
    case .pack: "pack"
    case .find: "find"
    case .report: "report"
    case .inspect: "inspect"
    case .cacheSize: "cache size"
    case .cacheClean: "cache clean"
    case .cacheClear: "cache clear"
    case .cacheRemove: "cache remove"
    case .cacheInfo: "cache info"
    case .cachePath: "cache path"
    case .cacheList: "cache list"
    case .cacheAdd: "cache add"
    case .cacheVerify: "cache verify"
    case .completions: "completions"
    case .help: "help"
    }
  }

  /// The operands as shown in a usage line; empty if there are none.
  var operands: String {
    switch self {
    case .get, .prefetch, .cacheInfo: "URL..."
    case .cacheRemove: "PATTERN..."
    case .cacheList: "[PATTERN...]"
    case .show: "URL|FILE..."
    case .inspect: "FILE|DIR..."
    case .find: "SOURCE..."
    case .report: "ROWS..."
    case .cachePath: "[URL]"
    case .cacheAdd: "URL FILE"
    case .completions: "bash|zsh|fish"
    case .help: "[COMMAND|TOPIC]"
    case .pack, .cacheSize, .cacheClean, .cacheClear, .cacheVerify: ""
    }
  }

  /// The purpose of a command, in one line.
  var summary: String {
    switch self {
    case .get: "fetch images, from a cache or over the network"
    case .prefetch: "fetch images into the cache only"
    case .show: "show images in the terminal"
    case .pack: "make a data set: tar files of images and facts"
    case .find: "list the images of a page, feed, site map or table"
    case .report: "tell what runs did: failures, changes, duplicates"
    case .inspect: "print what an image is, and whether it is complete"
    case .cacheSize: "print how much the cache holds"
    case .cacheClean: "remove expired images, then the least recently used"
    case .cacheClear: "remove everything from the cache"
    case .cacheRemove: "remove images, with everything derived from them"
    case .cacheInfo: "print all that is known of a cached image"
    case .cachePath: "print the path of a cached file, or of the cache"
    case .cacheList: "list what is in the cache"
    case .cacheAdd: "put a file of your own into the cache under a URL"
    case .cacheVerify: "read every entry and report what is damaged"
    case .completions: "print completions for a shell"
    case .help: "explain a command or topic (names, caches, exit, …)"
    }
  }

  /// The summary as a sentence.
  var sentence: String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }

  /// The second word of a `cache` command; nil for the others.
  var cacheWord: String? {
    let words = self.words
    guard words.hasPrefix("cache ") else { return nil }
    return String(words.dropFirst(6))
  }
}

/// The commands that take an option.
struct CommandSet: OptionSet, Sendable {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }
  init(_ command: Command) { rawValue = 1 << UInt32(command.rawValue) }

  static let get = CommandSet(.get)
  static let show = CommandSet(.show)
  static let pack = CommandSet(.pack)
  static let find = CommandSet(.find)
  static let report = CommandSet(.report)
  static let inspect = CommandSet(.inspect)
  static let cacheSize = CommandSet(.cacheSize)
  static let cacheClean = CommandSet(.cacheClean)
  static let cacheList = CommandSet(.cacheList)
  static let cacheRemove = CommandSet(.cacheRemove)
  static let cacheInfo = CommandSet(.cacheInfo)
  static let cacheVerify = CommandSet(.cacheVerify)
  static let cacheAdd = CommandSet(.cacheAdd)
  /// The commands that answer each URL: `prefetch` takes the options of `get` except those for outputs and transforms.
  static let answering: CommandSet = [.get, CommandSet(.prefetch)]
  /// The commands that fetch lists, and report on each line.
  static let listing: CommandSet = [.answering, .pack]
  /// The commands that fetch.
  static let fetching: CommandSet = [.listing, .show]
  /// The commands that send requests.
  static let asking: CommandSet = [.fetching, .find]
  /// The commands that write images, which may be transformed.
  static let writing: CommandSet = [.get, .pack]
  /// The commands that look up one URL in the cache, and so need to make its key as `get` does.
  static let keyed: CommandSet = [.cacheAdd, .cacheRemove, .cacheInfo, CommandSet(.cachePath)]
  static let cache: CommandSet = [
    .cacheSize, .cacheClean, CommandSet(.cacheClear), .keyed, .cacheList, .cacheVerify,
  ]
  static let everywhere: CommandSet = [
    .asking, .report, .inspect, .cache, CommandSet(.completions), CommandSet(.help),
  ]

  /// The commands in the set, in the order of the help.
  var commands: [Command] { Command.allCases.filter { contains(CommandSet($0)) } }
}

/// The command line, environment or configuration is wrong: the run ends with exit code 2 before it does anything.
struct UsageError: Error, Hashable, Sendable {
  /// The mistake and the allowed values, to follow `imgfetch: `.
  let message: String
  /// The command that prints the relevant help; nil if the message says everything.
  let help: String?

  init(_ message: String, help: String? = "imgfetch --help") {
    self.message = message
    self.help = help
  }

  init(_ message: String, of command: Command) {
    self.init(message, help: "imgfetch \(command.words) -h")
  }

  static let exitCode: Int32 = 2
}
