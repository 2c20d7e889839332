/// Makes the request for one hop of a flight.
struct RequestForm {
  private let configuration: PipelineConfiguration
  /// The plain fields of the request before, to the origin that was asked for. The lines of a list mostly have the
  /// same.
  private var usual: (options: SharedOptions, fields: [(name: String, value: String)])?

  init(_ configuration: PipelineConfiguration) { self.configuration = configuration }

  /// No format is preferred, so a server that converts for browsers sends the original.
  static let defaultAccept = "image/*,*/*;q=0.8"

  /// The value of an Accept field that prefers these formats. Other ones are accepted, too.
  static func accept(_ formats: [ImageFormat]) -> String {
    if formats.isEmpty { return defaultAccept }
    return (formats.map(\.mime) + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ",")
  }

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - credentials: the credentials for the origin of `url`, or nil for none.
  ///   - isConditional: true if `url` is asked about the stored copy.
  ///   - time: the time of the signature.
  mutating func make(
    _ id: TransferID, url: WebURL, flight: Flight, credentials: OriginCredentials?, addressRule: AddressRule,
    isConditional: Bool, at time: @autoclosure () -> WallTime
  ) -> TransferRequest {
    let leader = flight.leader
    let entry = leader.request.purpose.entry
    var transfer = TransferRequest(
      id: id, url: url.requestURL, fields: plainFields(of: flight, for: url),
      connectTimeout: entry.map { .seconds($0.connect) } ?? configuration.connectTimeout,
      stallTimeout: entry.map { .seconds($0.answer) } ?? configuration.stallTimeout, addressRule: addressRule)
    if let stream = leader.request.purpose.stream {
      transfer.deliversAtOnce = true
      transfer.isHeld = { stream.isFull }
    }
    if let credentials {
      transfer.fields += credentials.fields
      if let account = credentials.account { transfer.fields += account.fields(method: "GET", url, at: time()) }
      transfer.credentials = credentials.login.map { Credentials($0) }
      transfer.certificate = credentials.certificate
    }
    // The program's added fields are for the requested origin only, like credentials.
    if !flight.hop.addedFields.isEmpty, url.origin == leader.request.url.origin {
      let added = flight.hop.addedFields.map { $0.name.lowercased() }
      transfer.fields.removeAll { added.contains($0.name.lowercased()) }
      transfer.fields += flight.hop.addedFields
    }
    if leader.request.purpose.mayLieInStore { configuration.stores.identify(&transfer, to: url) }
    if isConditional, let validators = flight.hop.condition {
      if let request = flight.hop.rules.http?.request {
        transfer.exactFields = request.conditions(on: validators)
        let replaced = transfer.exactFields.map { $0.name.lowercased() }
        transfer.fields.removeAll { replaced.contains($0.name.lowercased()) }
      } else {
        transfer.exactFields = validators.conditionalFields
      }
    }
    return transfer
  }

  private mutating func plainFields(of flight: Flight, for url: WebURL) -> [(name: String, value: String)] {
    let leader = flight.leader
    guard url.origin == leader.request.url.origin else {
      return Self.plainFields(leader.request, for: url, configuration)
    }
    if let usual, usual.options === leader.request.shared { return usual.fields }
    let fields = Self.plainFields(leader.request, for: url, configuration)
    // The receiver of a stream belongs to its request, and is not held for longer than the body comes.
    if leader.request.purpose.stream == nil { usual = (leader.request.shared, fields) }
    return fields
  }

  /// The request's fields that may go to this URL, without imgfetch's own conditions and without credentials.
  static func plainFields(
    _ request: FetchRequest, for url: WebURL, _ configuration: PipelineConfiguration
  ) -> [(name: String, value: String)] {
    let given = request.options.headers
    var fields = given.compactMap { field in field.value.map { (name: field.name, value: $0) } }
    fields.removeAll { FieldNature.of($0.name).contains(.credential) }
    func add(unlessGiven name: String, _ value: String) {
      let lowered = name.lowercased()
      if !given.contains(where: { $0.name.lowercased() == lowered }) { fields.append((name, value)) }
    }
    add(unlessGiven: "Accept", accept(request.options.acceptedFormats))
    add(unlessGiven: "User-Agent", configuration.userAgent)
    return RedirectRule.fields(fields, from: request.url.origin, to: url.origin)
  }
}
