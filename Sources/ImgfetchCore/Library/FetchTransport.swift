/// Carries requests in the place of libcurl: over a program's own network stack, out of an archive, or in a test.
///
/// A ``Fetcher`` that has one loads no libcurl and opens no connection. All else works as ever: caches, limits on
/// downloads, retries, redirects, verification. It looks up no names; so ``FetchOptions/publicAddressesOnly`` holds
/// only for answers that tell their address. The limit on bytes a second, proxies and certificates are its own concern,
/// and it is not asked to send bodies to a remote cache.
public protocol FetchTransport: Sendable {
  /// Begins one request, to one URL, and returns soon: all others wait meanwhile. The outcome goes to `answer`, now or
  /// later and from any thread.
  func begin(_ request: TransportRequest, _ answer: TransportAnswer)
}
