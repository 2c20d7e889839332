extension HTMLTokenizer {
  mutating func takeDoctype(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    switch state {
    case .doctype: return TextBytes.isSpace(byte) ? go(.beforeDoctypeName) : again(.beforeDoctypeName)
    case .beforeDoctypeName, .doctypeName: return takeDoctypeName(byte, into: &sink)
    case .afterDoctypeName: return takeKeyword(byte, into: &sink)
    case .bogusDoctype: return byte == UInt8(ascii: ">") ? endDoctype(into: &sink) : true
    case .publicDouble, .publicSingle, .systemDouble, .systemSingle: return takeIdentifier(byte, into: &sink)
    default: return takeBetween(byte, into: &sink)
    }
  }

  private mutating func takeDoctypeName(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    if byte == UInt8(ascii: ">") {
      if state == .doctypeName { doctype.name = held } else { doctype.forcesQuirks = true }
      return endDoctype(into: &sink)
    }
    if TextBytes.isSpace(byte) {
      guard state == .doctypeName else { return true }
      doctype.name = held
      held = []
      return go(.afterDoctypeName)
    }
    state = .doctypeName
    if byte == 0 { hold(Self.replacement) } else { hold(TextBytes.lowered(byte)) }
    return true
  }

  /// Takes a byte of `PUBLIC` or `SYSTEM`.
  private mutating func takeKeyword(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    if held.isEmpty {
      if TextBytes.isSpace(byte) { return true }
      if byte == UInt8(ascii: ">") { return endDoctype(into: &sink) }
    }
    let next = held + [byte]
    if Self.isKeyword(next, "public") { return go(.afterPublic) }
    if Self.isKeyword(next, "system") { return go(.afterSystem) }
    guard Self.begins(next, "public") || Self.begins(next, "system") else {
      doctype.forcesQuirks = true
      return again(.bogusDoctype)
    }
    held = next
    return true
  }

  private mutating func takeIdentifier(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    let isDouble = state == .publicDouble || state == .systemDouble
    let isPublic = state == .publicDouble || state == .publicSingle
    if byte == (isDouble ? UInt8(ascii: "\"") : UInt8(ascii: "'")) {
      keepIdentifier()
      return go(isPublic ? .afterPublicIdentifier : .afterSystemIdentifier)
    }
    if byte == UInt8(ascii: ">") {
      keepIdentifier()
      doctype.forcesQuirks = true
      return endDoctype(into: &sink)
    }
    if byte == 0 { hold(Self.replacement) } else { hold(byte) }
    return true
  }

  /// Keeps the received part of an identifier or the name, if one is being read.
  mutating func keepIdentifier() {
    switch state {
    case .doctypeName: doctype.name = held
    case .publicDouble, .publicSingle: doctype.publicIdentifier = held
    case .systemDouble, .systemSingle: doctype.systemIdentifier = held
    default: break
    }
  }

  /// Takes a byte before, between or behind the identifiers.
  private mutating func takeBetween(_ byte: UInt8, into sink: inout some HTMLTokenSink) -> Bool {
    if TextBytes.isSpace(byte) {
      switch state {
      case .afterPublic: return go(.beforePublic)
      case .afterPublicIdentifier: return go(.betweenIdentifiers)
      case .afterSystem: return go(.beforeSystem)
      default: return true
      }
    }
    if byte == UInt8(ascii: ">") {
      switch state {
      case .afterPublicIdentifier, .betweenIdentifiers, .afterSystemIdentifier: break
      default: doctype.forcesQuirks = true
      }
      return endDoctype(into: &sink)
    }
    guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), state != .afterSystemIdentifier else {
      if state != .afterSystemIdentifier { doctype.forcesQuirks = true }
      return again(.bogusDoctype)
    }
    let isDouble = byte == UInt8(ascii: "\"")
    held = []
    switch state {
    case .afterPublic, .beforePublic: return go(isDouble ? .publicDouble : .publicSingle)
    default: return go(isDouble ? .systemDouble : .systemSingle)
    }
  }

  mutating func endDoctype(into sink: inout some HTMLTokenSink) -> Bool {
    handOver(&sink)
    sink.doctype(doctype)
    held = []
    return go(.text)
  }
}
