/// All that `get` and `prefetch` were told, checked and with every default filled in. The groups are those of help.
struct GetSettings: Hashable, Sendable {
  var selection: SelectionSettings
  /// Under `prefetch` nothing of this is set.
  var output: OutputSettings
  var cache: CacheUseSettings
  var network: NetworkSettings
  var identity: IdentitySettings
  var image: ImageSettings
  /// Under `prefetch` nothing of this is set.
  var transform: TransformSettings
  var report: ReportSettings
  var messages: MessageSettings
}

extension GetSettings {
  init(_ reader: SettingsReader, typed: Typed, environment: Environment) throws(UsageError) {
    selection = try SelectionSettings(reader, operands: typed.operands)
    output = try OutputSettings(reader)
    cache = try CacheUseSettings(reader, environment: environment)
    network = try NetworkSettings(reader, environment: environment)
    identity = try IdentitySettings(reader, environment: environment)
    image = try ImageSettings(reader)
    transform = try TransformSettings(reader, typed: typed)
    report = try ReportSettings(reader)
    messages = try MessageSettings(reader)
    try checkTogether(reader)
  }
}
