/// The action of a `cache` command, with its operands.
enum CacheAction: Hashable, Sendable {
  case size, clean, clear, verify
  /// No patterns: everything.
  case list(patterns: [String])
  case remove(patterns: [String])
  case info(urls: [String])
  /// The path of an entry; nil for that of the cache itself.
  case path(url: String?)
  case add(url: String, file: String)

  init(_ command: Command, _ operands: [String]) throws(UsageError) {
    if let empty = operands.first(where: \.isEmpty) { throw UsageError("'\(empty)' names nothing", of: command) }
    switch (command, operands.count) {
    case (.cacheSize, 0): self = .size
    case (.cacheClean, 0): self = .clean
    case (.cacheClear, 0): self = .clear
    case (.cacheRemove, 1...): self = .remove(patterns: operands)
    case (.cacheInfo, 1...): self = .info(urls: operands)
    case (.cachePath, 0...1): self = .path(url: operands.first)
    case (.cacheList, _): self = .list(patterns: operands)
    case (.cacheAdd, 2): self = .add(url: operands[0], file: operands[1])
    case (.cacheVerify, 0): self = .verify
    default:
      let usage = command.operands.isEmpty ? "no operands" : command.operands
      let given =
        switch operands.count {
        case 0: "none was given"
        case 1: "one was given"
        default: "\(operands.count) were given"
        }
      throw UsageError("'\(command.words)' takes \(usage); \(given)", of: command)
    }
  }
}
