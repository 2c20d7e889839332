/// The commands of `imgfetch`. The subcommands of `cache` are separate commands here, since each has its own options;
/// `words` is what the user types.
enum Command: UInt8, CaseIterable, Sendable {
  case get, prefetch, show, pack, find, report, inspect
  case cacheSize, cacheClean, cacheClear, cacheRemove, cacheInfo, cachePath, cacheList, cacheAdd, cacheVerify
  case completions, help

  private var texts: (words: String, operands: String, kind: OperandKind, summary: String) {
    switch self {
    case .get: ("get", "URL...", .urls, "fetch images, from a cache or over the network")
    case .prefetch: ("prefetch", "URL...", .urls, "fetch images into the cache only")
    case .show: ("show", "URL|FILE...", .files, "show images in the terminal")
    case .pack: ("pack", "", .none, "make a data set: tar files of images and facts")
    case .find: ("find", "SOURCE...", .files, "list the images of a page, feed, site map or table")
    case .report: ("report", "ROWS...", .files, "tell what runs did: failures, changes, duplicates")
    case .inspect: ("inspect", "FILE|DIR...", .files, "print what an image is, and whether it is complete")
    case .cacheSize: ("cache size", "", .none, "print how much the cache holds")
    case .cacheClean: ("cache clean", "", .none, "remove expired images, then the least recently used")
    case .cacheClear: ("cache clear", "", .none, "remove everything from the cache")
    case .cacheRemove: ("cache remove", "PATTERN...", .patterns, "remove images, with everything derived from them")
    case .cacheInfo: ("cache info", "URL...", .urls, "print all that is known of a cached image")
    case .cachePath: ("cache path", "[URL]", .url, "print the path of a cached file, or of the cache")
    case .cacheList: ("cache list", "[PATTERN...]", .patterns, "list what is in the cache")
    case .cacheAdd: ("cache add", "URL FILE", .urlAndFile, "put a file of your own into the cache under a URL")
    case .cacheVerify: ("cache verify", "", .none, "read every entry and report what is damaged")
    case .completions: ("completions", "bash|zsh|fish", .shell, "print completions for a shell")
    case .help: ("help", "[COMMAND|TOPIC]", .topic, "explain a command or topic (names, caches, exit, …)")
    }
  }

  /// The command as typed: `get`, `cache clean`.
  var words: String { texts.words }

  /// The operands as shown in a usage line; empty if there are none.
  var operands: String { texts.operands }

  var operandKind: OperandKind { texts.kind }

  /// The purpose of a command, in one line.
  var summary: String { texts.summary }

  /// True if operands may be files or folders.
  var takesFiles: Bool {
    switch operandKind {
    case .files, .urlAndFile: true
    case .none, .url, .urls, .patterns, .shell, .topic: false
    }
  }

  /// The usage line: the command, its options and operands, with the options that it cannot do without.
  var usage: String {
    let needs = self == .pack ? " -i LIST -d DIR" : operands.isEmpty ? "" : " " + operands
    return "imgfetch \(words) [options]" + needs
  }

  var sentence: String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }

  /// The second word of a `cache` command; nil for the others.
  var cacheWord: String? {
    let words = self.words
    guard words.hasPrefix("cache ") else { return nil }
    return String(words.dropFirst(6))
  }
}
