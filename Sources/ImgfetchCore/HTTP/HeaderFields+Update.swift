extension HeaderFields {
  /// Removes what is about one connection and not about the answer: Connection and the fields that it lists, those of
  /// HTTP's framing and those of a proxy (RFC 9111 §3.1). What is left may be stored.
  package mutating func removeConnectionFields() {
    for name in connectionFields() { remove(name) }
  }

  /// Takes over the fields of a 304 that confirmed this answer (RFC 9111 §3.2): each name that it has replaces those of
  /// that name here, but for Content-Length, Content-Range and what is about the connection.
  ///
  /// - Returns: whether anything changed that a reader of the entry would miss. Date, Age, Expires and Server change with
  ///   nearly every answer and are not worth a new entry.
  package mutating func update(from confirmation: HeaderFields) -> Bool {
    let excepted = confirmation.connectionFields() + ["content-length", "content-range"]
    var isNoteworthy = false
    var seen: [String] = []
    for (at, place) in confirmation.places.enumerated() where !hasJust(place, of: confirmation) {
      let field = confirmation[at]
      let name = field.name.lowercased()
      if seen.contains(name) || excepted.contains(name) { continue }
      seen.append(name)
      if all(name) == confirmation.all(name) { continue }
      isNoteworthy = isNoteworthy || !Self.fleeting.contains(name)
      remove(name)
      confirmation.forEach(name) { value in append(field.name, bytes: value.span) }
    }
    return isNoteworthy
  }

  /// Whether ``update(from:)`` would plainly change nothing that a reader would miss: what most 304 say, and told without making a
  /// string.
  package func isKept(by confirmation: HeaderFields) -> Bool {
    confirmation.places.allSatisfy { place in
      Self.fleeting.contains { confirmation.isName($0, at: place) } || hasJust(place, of: confirmation)
    }
  }

  /// They change with nearly every answer.
  private static let fleeting = ["date", "age", "expires", "server"]

  /// Whether another block's field stands here as it does there, and stands once in both: what most fields of a 304 do, and
  /// told without making a string.
  private func hasJust(_ place: Place, of other: HeaderFields) -> Bool {
    let name = other.buffer[place.name]
    func isSame(_ buffer: [UInt8], _ candidate: Place) -> Bool {
      candidate.name.count == name.count
        && buffer[candidate.name].elementsEqual(name) { URLHost.lower($0) == URLHost.lower($1) }
    }
    var only: Place?
    for candidate in places where isSame(buffer, candidate) {
      guard only == nil else { return false }
      only = candidate
    }
    guard let only, buffer[only.value].elementsEqual(other.buffer[place.value]) else { return false }
    return other.places.count { isSame(other.buffer, $0) } == 1
  }

  private func connectionFields() -> [String] {
    var names = [
      "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
      "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]
    forEach("connection") { line in
      for name in line.split(whereSeparator: { $0 == UInt8(ascii: ",") || Self.isBlank($0) }) {
        names.append(String(decoding: name.map(URLHost.lower), as: UTF8.self))
      }
    }
    return names
  }
}
