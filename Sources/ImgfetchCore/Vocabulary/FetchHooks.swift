/// Closures that a fetcher calls while it works. They are called on the fetcher's threads and should not block.
public struct FetchHooks: Sendable {
  /// Called with sentences that the user should read.
  public var warn: (@Sendable (String) -> Void)?
  /// Called with sentences about a cache that cannot be used or has a problem. If it is nil, ``warn`` is called
  /// instead.
  public var warnOfCache: (@Sendable (String) -> Void)?
  /// Called for each event of a request or a flight.
  public var events: (@Sendable (FetchEvent) -> Void)?
  /// Whether ``FetchEvent/headers(url:_:)`` is among the events. Formatting header fields costs more than all other
  /// events.
  public var tellsHeaders = false
  /// Called after answers were delivered, when no disk work waits: the time to flush what was buffered.
  public var whenIdle: (@Sendable () -> Void)?
  /// Called before the first request to the network.
  public var whenOnline: (@Sendable () -> Void)?

  /// No hooks.
  public init() {}
}
