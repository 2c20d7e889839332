import Synchronization

/// Decides which requests carry the identity for a store: those for its objects, to the origins of the stores that the
/// user has named. An image of the same origin is requested like any other.
struct StoreRule: Sendable {
  private let identity: StoreIdentity
  private let origins: Set<Origin>

  init(_ identity: StoreIdentity = StoreIdentity(), _ stores: [WebURL] = []) {
    self.identity = identity
    origins = Set(stores.map(\.origin))
  }

  /// Adds the identity to a request to a URL.
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
}
