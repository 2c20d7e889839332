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

  /// True if operands may be files or folders.
  var takesFiles: Bool {
    switch self {
    case .show, .inspect, .find, .report, .cacheAdd: true
    default: false
    }
  }

  /// The usage line: the command, its options and operands, with the options that it cannot do without.
  var usage: String {
    let needs = self == .pack ? " -i LIST -d DIR" : operands.isEmpty ? "" : " " + operands
    return "imgfetch \(words) [options]" + needs
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

  var sentence: String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }

  /// The second word of a `cache` command; nil for the others.
  var cacheWord: String? {
    let words = self.words
    guard words.hasPrefix("cache ") else { return nil }
    return String(words.dropFirst(6))
  }
}
