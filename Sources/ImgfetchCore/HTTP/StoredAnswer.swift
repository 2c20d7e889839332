/// A response as a cache stores it, without its body, with the rules of HTTP caching that apply to
/// it (RFC 9111 §3 and §4).
///
/// A pure value: the caller creates it from an entry, queries it, and writes changes back.
package struct StoredAnswer: Sendable {
  package let status: Int
  package private(set) var fields: HeaderFields
  package private(set) var directives: ResponseDirectives
  /// The time at which the request was sent whose response, or 304, was stored last.
  package private(set) var requestTime: WallTime
  /// The time at which that response was received.
  package private(set) var responseTime: WallTime
  /// The fields of its request that Vary names, in their normal form; another request must have the same.
  package let selecting: [(name: String, value: String)]

  package init(
    status: Int, fields: HeaderFields, requestTime: WallTime, responseTime: WallTime,
    selecting: [(name: String, value: String)] = []
  ) {
    self.status = status
    self.fields = fields
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.selecting = selecting
    directives = ResponseDirectives(fields)
  }

  /// Removes what must not be stored (RFC 9111 §3.1): the fields of the connection or a proxy, and those that
  /// `no-cache="…"` lists, which must not be reused without revalidation. A response without a Date gets the time of
  /// receipt (RFC 9110 §6.6.1).
  package mutating func makeStorable() {
    fields.removeConnectionFields()
    fields.remove(allOf: directives.noCacheFields)
    if !fields.contains("date") { fields.append("Date", HTTPDate.format(responseTime)) }
  }

  /// True if this response fits a request's Vary fields (§4.1). Without Vary it may depend on fields that other
  /// responses of its URL name.
  package func isSelected(by request: HeaderFields) -> Bool {
    guard selecting.allSatisfy({ Self.normal($0.name, of: request) == $0.value }) else { return false }
    switch Variance(fields) {
    case .nothing: return true
    case .everything: return false
    case .fields(let names):
      return names.allSatisfy { name in
        Self.normal(name, of: request) == selecting.first { $0.name == name }?.value
      }
    }
  }

  private static func normal(_ name: String, of request: HeaderFields) -> String? {
    Variance.fields([name]).selecting(from: request).first?.value
  }

  package func freshness(now: WallTime) -> Freshness {
    Freshness(
      status: status, fields: fields, directives: directives, requestTime: requestTime, responseTime: responseTime,
      now: now)
  }

  /// Decides whether the response may be used for a request whose Vary fields it fits.
  package func reuse(for request: RequestDirectives, now: WallTime) -> ReuseRule {
    ReuseRule(request: request, response: directives, freshness: freshness(now: now))
  }

  /// The reason for which these rules forbid storing it; a run with another policy may have stored it all the same.
  package var obstacle: StorageRule.Obstacle? {
    StorageRule.obstacle(request: RequestDirectives(), status: status, response: directives, fields: fields)
  }

  /// The fields of the answer if it is served without revalidation (§4): with its Age, and without those
  /// that `no-cache="…"` lists.
  package func deliveredFields(now: WallTime) -> HeaderFields {
    var delivered = fields
    delivered.remove(allOf: directives.noCacheFields)
    delivered.replace("Age", with: String(min(freshness(now: now).ageInSeconds, CacheControl.ever)))
    return delivered
  }

  /// Applies a 304 of the origin (§4.3.4). The age restarts, so an Age or Date that the 304 lacks is removed.
  package mutating func confirm(by confirmation: HeaderFields, requestTime: WallTime, responseTime: WallTime) {
    fields.remove("age")
    if !confirmation.contains("date") { fields.remove("date") }
    fields.remove(allOf: directives.noCacheFields)
    _ = fields.update(from: confirmation)
    self.requestTime = requestTime
    self.responseTime = responseTime
    directives = ResponseDirectives(fields)
    makeStorable()
  }
}
