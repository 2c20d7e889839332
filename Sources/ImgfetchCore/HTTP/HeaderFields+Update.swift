extension HeaderFields {
  /// Removes the fields that belong to one connection and not to the response: Connection and the fields that it lists,
  /// the fields of HTTP's framing and those of a proxy (RFC 9111 §3.1). The rest may be stored.
  package mutating func removeConnectionFields() { remove(allOf: connectionFields()) }

  /// Removes every field with one of these names, which must be in lower case.
  mutating func remove(allOf names: [String]) {
    if names.count <= Self.few {
      places = places.filter { place in !names.contains { isName($0, at: place) } }
    } else {
      let names = Set(names)
      places = places.filter { !names.contains(lowercasedName(at: $0)) }
    }
  }

  /// The number of names up to which a linear search is faster than a table, and too short for a server to abuse.
  private static let few = 32

  /// Applies the fields of a 304 that confirmed this response (RFC 9111 §3.2). All fields of a name that it has
  /// are replaced, except Content-Length, Content-Range, Content-Encoding (a stored body has none) and the
  /// fields of the connection.
  ///
  /// - Returns: True if anything changed that matters to a reader of the entry. Date, Age, Expires and Server change
  ///   with nearly every response and are not worth a new entry.
  package mutating func update(from confirmation: HeaderFields) -> Bool {
    let excepted = Set(confirmation.connectionFields() + ["content-length", "content-range", "content-encoding"])
    let (held, answered) = (placesByName(), confirmation.placesByName())
    var isNoteworthy = false
    // Both identify fields by where they begin.
    var (gone, come): (Set<UInt32>, Set<UInt32>) = ([], [])
    for (name, places) in answered where !excepted.contains(name) {
      let former = held[name, default: []]
      let isSame = former.elementsEqual(places) {
        buffer[$0.value].elementsEqual(confirmation.buffer[$1.value])
      }
      if isSame { continue }
      isNoteworthy = isNoteworthy || !Self.fleeting.contains(name)
      gone.formUnion(former.lazy.map(\.nameStart))
      come.formUnion(places.lazy.map(\.nameStart))
    }
    if come.isEmpty { return false }
    places = places.filter { !gone.contains($0.nameStart) }
    // Removed fields are still in the buffer and would count against its limit.
    self = HeaderFields(encoded: encoded().span)
    for place in confirmation.places where come.contains(place.nameStart) {
      appendLine(confirmation.buffer[place.line].span)
    }
    return isNoteworthy
  }

  /// True if ``update(from:)`` certainly changes nothing that matters, as with most 304 responses. It creates no
  /// strings. If it returns false, ``update(from:)`` must decide.
  package func isKept(by confirmation: HeaderFields) -> Bool {
    guard count <= Self.few, confirmation.count <= Self.few else { return false }
    return confirmation.places.allSatisfy { place in
      Self.fleeting.contains { confirmation.isName($0, at: place) } || hasJust(place, of: confirmation)
    }
  }

  /// Fields that change with nearly every response.
  private static let fleeting = ["date", "age", "expires", "server"]

  /// True if the field has the same value in both blocks and occurs once in each, as most fields of a 304
  /// do. It creates no strings.
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

  private func placesByName() -> [String: [Place]] { Dictionary(grouping: places, by: lowercasedName(at:)) }

  private func lowercasedName(at place: Place) -> String {
    String(decoding: buffer[place.name].map(URLHost.lower), as: UTF8.self)
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
