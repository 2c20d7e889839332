/// What a fetcher tells its owner on the way, beside its answers. All are called on the fetcher's threads, and should not block.
public struct FetchHooks: Sendable {
  /// Told, in whole sentences, what a user should know: that there is no cache though one was asked for, say.
  public var warn: (@Sendable (String) -> Void)?
  /// Told, in whole sentences, that there is no cache though one was asked for, or what is wrong with it. Where this is nil,
  /// ``warn`` is told.
  public var warnOfCache: (@Sendable (String) -> Void)?
  /// Told what happens to requests and flights.
  public var events: (@Sendable (FetchEvent) -> Void)?
  /// Whether ``FetchEvent/headers(url:_:)`` is among them: putting those into words costs more than all others.
  public var tellsHeaders = false
  /// Called when answers were given and nothing more waits to be done on the disk: the moment to hand on what was gathered.
  public var whenIdle: (@Sendable () -> Void)?
  /// Called before the first request goes as far as the network.
  public var whenOnline: (@Sendable () -> Void)?

  /// Nobody wants to be told.
  public init() {}
}
