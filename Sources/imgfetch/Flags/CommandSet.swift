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
  static let fetching: CommandSet = [.listing, .show]
  /// The commands that send requests.
  static let asking: CommandSet = [.fetching, .find]
  /// The commands that send requests, and the one that reads what is in a place.
  static let reaching: CommandSet = [.asking, .report]
  /// The commands that ask stores.
  static let storing: CommandSet = [.fetching, .report]
  /// The commands that write images, which may be transformed.
  static let writing: CommandSet = [.get, .pack]
  /// The commands that look up one URL in the cache, and so need to make its key as `get` does.
  static let keyed: CommandSet = [.cacheAdd, .cacheRemove, .cacheInfo, CommandSet(.cachePath)]
  /// The commands of `cache`, which stand side by side: asking each for its words would cost each start.
  static let cache = CommandSet(rawValue: CommandSet(.completions).rawValue - CommandSet(.cacheSize).rawValue)
  /// The commands that fetch, or that change the cache as a whole or by a file.
  static let acting: CommandSet = [.fetching, CommandSet(.cacheClear), .cacheAdd]
  static let everywhere = CommandSet(rawValue: .max)

  /// The commands in the set, in the order of the help.
  var commands: [Command] { Command.allCases.filter { contains(CommandSet($0)) } }
}
