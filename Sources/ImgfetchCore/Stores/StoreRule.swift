import Synchronization

/// Decides which requests carry the credentials for a store: those for its objects, to the origins of the stores that
/// the user has named. An image of the same origin is requested like any other.
struct StoreRule: Sendable {
  private let identity: StoreIdentity
  private let origins: Set<Origin>

  init(_ identity: StoreIdentity = StoreIdentity(), _ stores: [WebURL] = []) {
    self.identity = identity
    origins = Set(stores.map(\.origin))
  }

  /// Adds the credentials to a request to a URL.
  func identify(_ request: inout TransferRequest, to url: WebURL) {
    guard origins.contains(url.origin) else { return }
    if url.isSecure, let file = identity.certificate {
      request.certificate = ClientCertificate(file: file, key: identity.key)
    }
    guard let bearer = identity.bearer, request.credentials == nil, url.account == nil, !url.isOfBucket,
      !request.fields.contains(where: { $0.name.lowercased() == "authorization" })
    else { return }
    request.fields.append(("Authorization", "Bearer \(bearer)"))
  }

  /// Adds the credentials to a request of a conversation: the account of a bucket, the name in the URL, the token, or a
  /// netrc login for the host.
  func identify(_ request: inout TransferRequest, for wanted: PlaceRequest, netrc: Netrc?, at time: WallTime) {
    let url = wanted.url
    if let account = url.account {
      request.fields += account.fields(
        method: wanted.method, url, query: wanted.query, with: wanted.fields, hasBody: request.upload != nil, at: time)
      return identify(&request, to: url)
    }
    if url.isOfBucket { return }
    request.credentials = url.login(netrc).map { Credentials($0) }
    identify(&request, to: url)
    if request.credentials == nil, !request.fields.contains(where: { $0.name == "Authorization" }) {
      request.credentials = netrc?.login(for: url.host).map { Credentials($0) }
    }
  }
}
