/// Carries requests instead of libcurl: over a program's own network stack, out of an archive, or in a test.
///
/// A ``Fetcher`` that has one loads no libcurl and opens no connection. Everything else works as usual: caches, limits
/// on downloads, retries, redirects, verification. The fetcher looks up no names, so
/// ``FetchOptions/publicAddressesOnly`` only applies to answers that state their address. The limit on bytes a second,
/// proxies and certificates are the transport's own concern, and it is not asked to send bodies to a remote cache.
public protocol FetchTransport: Sendable {
  /// Begins one request, to one URL, and returns soon: all others wait meanwhile. The outcome goes to `answer`, now or
  /// later and from any thread.
  func begin(_ request: TransportRequest, _ answer: TransportAnswer)
}
