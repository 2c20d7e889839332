/// A user name and password for a request.
package struct Credentials: Hashable, Sendable {
  package enum Scheme: Sendable {
    /// Sent with the request at once.
    case basic
    /// Digest, for a request that was answered by a 401 with a Digest challenge. It takes another round trip, for its
    /// own challenge. That first 401 is not reported to the client.
    case digest
  }

  package var user: String
  package var password: String
  package var scheme = Scheme.basic
}

extension Credentials {
  init(_ login: Login) { self.init(user: login.user, password: login.password) }
}
