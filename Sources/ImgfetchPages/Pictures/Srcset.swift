/// The candidates of a `srcset` attribute, parsed as the HTML standard has it.
package enum Srcset {
  /// The number of candidates that one attribute may have. Beyond that a page makes work, not pictures.
  static let mostCandidates = 256

  /// Parses an attribute. Candidates that the standard drops are left out: a candidate with two widths, or with a
  /// density that is no number.
  package static func candidates(_ attribute: ArraySlice<UInt8>) -> [PageImage.Candidate] {
    var candidates: [PageImage.Candidate] = []
    var rest = attribute
    while candidates.count < mostCandidates {
      rest = rest.drop { TextBytes.isSpace($0) || $0 == comma }
      guard !rest.isEmpty else { break }
      var reference = rest.prefix { !TextBytes.isSpace($0) }
      rest = rest[reference.endIndex...]
      var descriptors: [ArraySlice<UInt8>] = []
      if reference.last == comma {
        while reference.last == comma { reference.removeLast() }
      } else {
        descriptors = takeDescriptors(&rest)
      }
      if let candidate = candidate(reference, descriptors) { candidates.append(candidate) }
    }
    return candidates
  }

  /// Of more than two descriptors none can be right; so many are kept to tell.
  private static let mostDescriptors = 4
  private static let comma = UInt8(ascii: ",")

  /// Takes what describes a candidate, up to the comma that ends it. Within parentheses commas and spaces end nothing.
  private static func takeDescriptors(_ rest: inout ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var descriptors: [ArraySlice<UInt8>] = []
    var start = rest.startIndex
    var at = start
    var isInParentheses = false
    func end() {
      if at > start, descriptors.count < mostDescriptors { descriptors.append(rest[start..<at]) }
    }
    while at < rest.endIndex {
      let byte = rest[at]
      if isInParentheses {
        isInParentheses = byte != UInt8(ascii: ")")
      } else if byte == comma {
        end()
        rest = rest[(at + 1)...]
        return descriptors
      } else if TextBytes.isSpace(byte) {
        end()
        start = at + 1
      } else if byte == UInt8(ascii: "(") {
        isInParentheses = true
      }
      at += 1
    }
    end()
    rest = rest[at...]
    return descriptors
  }

  private static func candidate(
    _ reference: ArraySlice<UInt8>, _ descriptors: [ArraySlice<UInt8>]
  ) -> PageImage.Candidate? {
    var candidate = PageImage.Candidate(reference: PageImage.Candidate.kept(reference))
    var (hasDensity, hasHeight) = (false, false)
    for descriptor in descriptors {
      let number = String(decoding: descriptor.dropLast(), as: UTF8.self)
      switch descriptor.last {
      case UInt8(ascii: "w"):
        guard candidate.width == nil, !hasDensity, let width = whole(descriptor.dropLast()) else { return nil }
        candidate.width = width
      case UInt8(ascii: "x"):
        guard candidate.width == nil, !hasDensity, !hasHeight, isNumber(descriptor.dropLast()),
          let density = Double(number), density >= 0
        else { return nil }
        candidate.density = density
        hasDensity = true
      case UInt8(ascii: "h"):
        guard !hasHeight, !hasDensity, whole(descriptor.dropLast()) != nil else { return nil }
        hasHeight = true
      default: return nil
      }
    }
    return hasHeight && candidate.width == nil ? nil : candidate
  }

  /// A positive number of at most nine digits.
  static func whole(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...9).contains(digits.count) else { return nil }
    var value = 0
    for digit in digits {
      guard digit &- UInt8(ascii: "0") < 10 else { return nil }
      value = value * 10 + Int(digit &- UInt8(ascii: "0"))
    }
    return value > 0 ? value : nil
  }

  /// True if this is a number as HTML writes it: Swift would take `inf`, `nan`, `1.` and hexadecimal digits, too.
  static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, first != UInt8(ascii: "+"), text.count <= 32 else { return false }
    let next = text.dropFirst() + [0]
    return zip(text, next).allSatisfy { byte, next in
      byte == UInt8(ascii: ".")
        ? TextBytes.isDigit(next) : TextBytes.isDigit(byte) || "+-eE".utf8.contains(byte)
    }
  }
}
