/// An answer as a cache keeps it, without its body, and what HTTP's rules say of it (RFC 9111 §3 and §4).
///
/// A pure value: whoever has the entry makes one of it, asks, and writes what changed back.
package struct StoredAnswer: Sendable {
  package let status: Int
  package private(set) var fields: HeaderFields
  package private(set) var directives: ResponseDirectives
  /// When the request was sent that the answer, or the 304 that last confirmed it, came to.
  package private(set) var requestTime: WallTime
  /// When that came.
  package private(set) var responseTime: WallTime
  /// Those fields of the request it came to that decide whether another request may have it, in their normal form.
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

  /// Takes away what may not be stored (RFC 9111 §3.1): what is about the connection or a proxy, and the fields that
  /// `no-cache="…"` names, which no answer without asking the origin may have. An answer without a Date gets the time at
  /// which it came (RFC 9110 §6.6.1).
  package mutating func makeStorable() {
    fields.removeConnectionFields()
    fields.remove(allOf: directives.noCacheFields)
    if !fields.contains("date") { fields.append("Date", HTTPDate.format(responseTime)) }
  }

  /// Whether a request selects this answer (§4.1). One that was stored without a Vary may still depend on what others of
  /// its URL vary by.
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

  /// Whether it may be used for a request that selects it.
  package func reuse(for request: RequestDirectives, now: WallTime) -> ReuseRule {
    ReuseRule(request: request, response: directives, freshness: freshness(now: now))
  }

  /// Why it may not be in a cache under these rules; something that a run under another policy stored may be.
  package var obstacle: StorageRule.Obstacle? {
    StorageRule.obstacle(request: RequestDirectives(), status: status, response: directives, fields: fields)
  }

  /// Its fields in an answer that is given without asking the origin (§4): with its age, and without those that
  /// `no-cache="…"` names.
  package func deliveredFields(now: WallTime) -> HeaderFields {
    var delivered = fields
    delivered.remove(allOf: directives.noCacheFields)
    delivered.replace("Age", with: String(min(freshness(now: now).ageInSeconds, CacheControl.ever)))
    return delivered
  }

  /// The origin has confirmed it with a 304 (§4.3.4). Its age counts from then, so an Age or Date that the 304 has not is
  /// not kept from before.
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
