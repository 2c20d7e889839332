/// Makes the request that goes out for one hop of a flight.
struct RequestForm {
  private let configuration: PipelineConfiguration
  /// The plain fields of the request before, to the origin that was asked for: a list's lines mostly have the same.
  private var usual: (options: SharedOptions, fields: [(name: String, value: String)])?

  init(_ configuration: PipelineConfiguration) { self.configuration = configuration }

  /// Image types first, then anything: what is sent is judged by its bytes.
  static let defaultAccept = "image/webp,image/*,*/*;q=0.8"

  /// These formats before all others. What else comes is taken, too.
  static func accept(_ formats: [ImageFormat]) -> String {
    if formats.isEmpty { return defaultAccept }
    return (formats.map(\.mime) + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ",")
  }

  /// - Parameters:
  ///   - credentials: those for the origin of `url`; nil: none.
  ///   - time: the time that a signature is made for.
  mutating func make(
    _ id: TransferID, url: WebURL, flight: Flight, credentials: OriginCredentials?, addressRule: AddressRule,
    at time: @autoclosure () -> WallTime
  ) -> TransferRequest {
    let patience = flight.options.patience
    var transfer = TransferRequest(
      id: id, url: url.requestURL, fields: plainFields(of: flight, for: url),
      connectTimeout: patience.map { .seconds($0.connect) } ?? configuration.connectTimeout,
      stallTimeout: patience.map { .seconds($0.answer) } ?? configuration.stallTimeout, addressRule: addressRule)
    let isStreamed = flight.request.stream != nil
    if isStreamed { transfer.deliversAtOnce = true }
    if let credentials {
      transfer.fields += credentials.fields
      if let account = credentials.account { transfer.fields += account.fields(method: "GET", url, at: time()) }
      transfer.credentials = credentials.login.map { Credentials(user: $0.user, password: $0.password) }
    }
    // What is the user's own: the remote cache, or a list.
    if patience != nil || isStreamed {
      configuration.stores.identify(&transfer, to: url)
    }
    if let validators = flight.validators {
      if let request = flight.hop.rules.http?.request {
        transfer.exactFields = request.conditions(on: validators)
        let replaced = transfer.exactFields.map { $0.name.lowercased() }
        transfer.fields.removeAll { replaced.contains($0.name.lowercased()) }
      } else if url.origin == flight.request.url.origin {
        transfer.exactFields = validators.conditionalFields
      }
    }
    return transfer
  }

  private mutating func plainFields(of flight: Flight, for url: WebURL) -> [(name: String, value: String)] {
    guard url.origin == flight.request.url.origin else {
      return Self.plainFields(flight.request, for: url, configuration)
    }
    if let usual, usual.options === flight.request.shared { return usual.fields }
    let fields = Self.plainFields(flight.request, for: url, configuration)
    usual = (flight.request.shared, fields)
    return fields
  }

  /// What is asked, but for conditions of our own and who asks: those fields of the request that may go to this URL.
  static func plainFields(
    _ request: FetchRequest, for url: WebURL, _ configuration: PipelineConfiguration
  ) -> [(name: String, value: String)] {
    let given = request.options.headers
    var fields = given.compactMap { field in field.value.map { (name: field.name, value: $0) } }
    fields.removeAll { IdentityRule.secretFields.contains($0.name.lowercased()) }
    func add(unlessGiven name: String, _ value: String) {
      let lowered = name.lowercased()
      if !given.contains(where: { $0.name.lowercased() == lowered }) { fields.append((name, value)) }
    }
    add(unlessGiven: "Accept", accept(request.options.acceptedFormats))
    add(unlessGiven: "User-Agent", configuration.userAgent)
    return RedirectRule.fields(fields, from: request.url.origin, to: url.origin)
  }
}
