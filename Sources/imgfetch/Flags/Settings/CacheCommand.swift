import ImgfetchCore

/// All that a command of the cache was told.
struct CacheCommand: Hashable, Sendable {
  enum Action: Hashable, Sendable {
    /// `exact`: by walking, not from the ledger.
    case size(exact: Bool)
    case clean(maxAge: Instant.Span, maxSize: Int, dryRun: Bool)
    case clear
    case remove(urls: [String])
    /// Nil: the path of the cache itself.
    case path(url: String?)
    /// `print0`: keys alone, each ended by NUL.
    case list(print0: Bool)
    case add(url: String, file: String, verification: Choices.Verification, sandbox: Bool, maxPixels: Int)
    case verify(repair: Bool)
  }

  var action: Action
  var location: CacheLocation
  var keys: KeySettings
  var isJSON: Bool
  var messages: MessageSettings
}

extension CacheCommand {
  init(_ reader: SettingsReader, operands: [String], environment: Environment) throws(UsageError) {
    action = try Action(reader, operands)
    location = try CacheLocation(reader, environment: environment)
    keys = try KeySettings(reader)
    isJSON = reader.isOn(.json)
    messages = try MessageSettings(reader)
    if isJSON, reader.isOn(.print0) {
      throw UsageError("--json and --print0 cannot be given together", of: reader.command)
    }
    if keys.key != nil, operands.count != 1, reader.command != .cacheAdd {
      throw UsageError("--cache-key is for one URL", of: reader.command)
    }
  }
}

extension CacheCommand.Action {
  init(_ reader: SettingsReader, _ operands: [String]) throws(UsageError) {
    let command = reader.command
    if let empty = operands.first(where: \.isEmpty) { throw UsageError("'\(empty)' names nothing", of: command) }
    switch (command, operands.count) {
    case (.cacheSize, 0): self = .size(exact: reader.isOn(.exact))
    case (.cacheClean, 0):
      self = .clean(
        maxAge: try reader.span(.maxAge) ?? Instant.Span(nanoseconds: 0), maxSize: try reader.size(.maxSize) ?? 0,
        dryRun: reader.isOn(.dryRun))
    case (.cacheClear, 0): self = .clear
    case (.cacheRemove, 1...): self = .remove(urls: operands)
    case (.cachePath, 0...1): self = .path(url: operands.first)
    case (.cacheList, 0): self = .list(print0: reader.isOn(.print0))
    case (.cacheAdd, 2):
      self = .add(
        url: operands[0], file: operands[1], verification: try reader.choice(.verify, or: .structure),
        sandbox: reader.isOn(.sandbox),
        maxPixels: try reader.size(.maxPixels) ?? 0)
    case (.cacheVerify, 0): self = .verify(repair: reader.isOn(.repair))
    default:
      let usage = command.operands.isEmpty ? "no operands" : command.operands
      throw UsageError("'\(command.words)' takes \(usage); given were \(operands.count)", of: command)
    }
  }
}
