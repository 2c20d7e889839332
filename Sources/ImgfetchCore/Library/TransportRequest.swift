/// One request as it is sent. A redirect is followed by another one.
public struct TransportRequest: Sendable {
  /// The URL, without user info and fragment.
  public let url: String
  /// The method: GET.
  public let method: String
  /// The header fields in order, without Host.
  public let fields: [(name: String, value: String)]
  /// The name and password for the origin, or nil for none.
  public let login: Login?
  /// The longest time without a byte of the answer. The fetcher enforces it itself.
  public let stallTimeout: Duration

  /// The first field of that name, in any case, or nil if there is none.
  public subscript(field: String) -> String? {
    let name = field.lowercased()
    return fields.first { $0.name.lowercased() == name }?.value
  }

  init(_ request: TransferRequest) {
    url = request.url
    method = request.method ?? "GET"
    fields = request.fields + request.exactFields.map { ($0.name, $0.value) }
    login = request.credentials.map { Login(user: $0.user, password: $0.password) }
    stallTimeout = request.stallTimeout.duration
  }
}
