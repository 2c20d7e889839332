extension HeaderFields {
  /// Removes what is about one connection and not about the answer: Connection and the fields that it lists, those of
  /// HTTP's framing and those of a proxy (RFC 9111 §3.1). What is left may be stored.
  package mutating func removeConnectionFields() { remove(allOf: connectionFields()) }

  /// Removes every field that has one of these names, which are in lower case.
  mutating func remove(allOf names: [String]) {
    if names.count <= Self.few {
      places = places.filter { place in !names.contains { isName($0, at: place) } }
    } else {
      let names = Set(names)
      places = places.filter { !names.contains(lowercasedName(at: $0)) }
    }
  }

  /// Up to here looking through is quicker than a table, and costs nothing that a server could make much of.
  private static let few = 32

  /// Takes over the fields of a 304 that confirmed this answer (RFC 9111 §3.2): each name that it has replaces those of
  /// that name here, but for Content-Length, Content-Range and what is about the connection.
  ///
  /// - Returns: whether anything changed that a reader of the entry would miss. Date, Age, Expires and Server change with
  ///   nearly every answer and are not worth a new entry.
  package mutating func update(from confirmation: HeaderFields) -> Bool {
    let excepted = Set(confirmation.connectionFields() + ["content-length", "content-range"])
    let (held, answered) = (placesByName(), confirmation.placesByName())
    var isNoteworthy = false
    // By where they begin.
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
    // What was removed still lies in the buffer, and would count against its limit.
    self = HeaderFields(encoded: encoded().span)
    for place in confirmation.places where come.contains(place.nameStart) {
      appendLine(confirmation.buffer[place.line].span)
    }
    return isNoteworthy
  }

  /// Whether ``update(from:)`` would plainly change nothing that a reader would miss: what most 304 say, and told without making a
  /// string.
  package func isKept(by confirmation: HeaderFields) -> Bool {
    guard count <= Self.few, confirmation.count <= Self.few else { return false }
    return confirmation.places.allSatisfy { place in
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

  private func placesByName() -> [String: [Place]] {
    Dictionary(grouping: places, by: lowercasedName(at:))
  }

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
