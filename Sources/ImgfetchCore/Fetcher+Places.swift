extension Fetcher {
  /// The place at a URL. Its user info, or its account, says who asks.
  package func place(_ url: WebURL) -> RemotePlace { RemotePlace(url, pipeline) }
}
