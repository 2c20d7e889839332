/// Progress as text for logs and screen readers, and as JSON for programs.
enum ProgressText {
  /// `120 of 2,200 images, 34 MB, 2.1 MB/s, 3m05s left, 2 failed, 6 under way`.
  static func plain(_ snapshot: ProgressSnapshot) -> String {
    var parts = [
      snapshot.total.map { "\(Amount.grouped(snapshot.done)) of \(Amount.count($0, "image"))" }
        ?? "\(Amount.count(snapshot.done, "image")) so far",
      Amount.size(snapshot.bytes),
      Amount.speed(snapshot.speed),
    ]
    if let left = snapshot.secondsLeft { parts.append("\(Amount.clock(seconds: left)) left") }
    if snapshot.failed > 0 { parts.append("\(Amount.grouped(snapshot.failed)) failed") }
    parts.append("\(snapshot.flights.count) under way")
    return parts.joined(separator: ", ")
  }

  /// `{"progress":{"done","failed","total","bytes","bytes_per_second","seconds_left","flights":[{"url","received","total"}…]}}`;
  /// null for unknown values.
  static func appendJSON(_ snapshot: ProgressSnapshot, to buffer: inout [UInt8]) {
    buffer.append(text: "{\"progress\":{\"done\":")
    buffer.append(number: snapshot.done)
    buffer.append(text: ",\"failed\":")
    buffer.append(number: snapshot.failed)
    buffer.append(text: ",\"total\":")
    append(snapshot.total.map(Int64.init), to: &buffer)
    buffer.append(text: ",\"bytes\":")
    buffer.append(number: snapshot.bytes)
    buffer.append(text: ",\"bytes_per_second\":")
    buffer.append(number: whole(snapshot.speed))
    buffer.append(text: ",\"seconds_left\":")
    append(snapshot.secondsLeft.map(whole), to: &buffer)
    buffer.append(text: ",\"flights\":[")
    for (at, flight) in snapshot.flights.enumerated() {
      buffer.append(text: at == 0 ? "{\"url\":" : ",{\"url\":")
      buffer.append(json: flight.url)
      buffer.append(text: ",\"received\":")
      buffer.append(number: flight.received)
      buffer.append(text: ",\"total\":")
      append(flight.total, to: &buffer)
      buffer.append(UInt8(ascii: "}"))
    }
    buffer.append(text: "]}}\n")
  }

  private static func append(_ number: Int64?, to buffer: inout [UInt8]) {
    if let number { buffer.append(number: number) } else { buffer.append(text: "null") }
  }

  /// Clamps values at which the conversion would trap.
  private static func whole(_ value: Double) -> Int64 { value.isFinite ? Int64(min(max(value, 0), 1e18)) : 0 }
}

/// How progress is shown: the user's wish, limited by what the terminal can do.
enum ProgressMode: Hashable, Sendable {
  case none
  /// Bars that are redrawn in place.
  case bars
  /// A line every few seconds.
  case plain
  /// An object each second.
  case json

  /// - Parameters:
  ///   - isTerminal: whether standard error is a terminal.
  ///   - kind: the terminal's type (`TERM`); nil if unset.
  init(_ wish: Choices.Progress, isTerminal: Bool, kind: String?) {
    // A dumb terminal cannot move its cursor, and one without a type may not.
    let canDraw = isTerminal && kind != nil && kind != "" && kind != "dumb"
    switch wish {
    case .none: self = .none
    case .plain: self = .plain
    case .json: self = .json
    case .auto: self = canDraw ? .bars : .none
    // Where bars cannot be drawn: no control characters in a pipe, but no silence either.
    case .bar: self = canDraw ? .bars : .plain
    }
  }

  /// Whether the terminal uses UTF-8, by the locale variables in their order of precedence.
  static func isUnicode(_ variable: (String) -> String?) -> Bool {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      guard let value = variable(name), !value.isEmpty else { continue }
      // LANGUAGE_COUNTRY.CODESET@MODIFIER; some systems set only the code set.
      let codeset = value.prefix { $0 != "@" }.split(separator: ".").last?.lowercased()
      return codeset == "utf-8" || codeset == "utf8"
    }
    return false
  }
}
