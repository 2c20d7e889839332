/// The candidates of a `srcset` attribute, parsed as the HTML standard has it.
package enum Srcset {
  /// The number of candidates that one attribute may have. Beyond that a page makes work, not pictures.
  static let mostCandidates = 256

  /// Parses an attribute. Candidates that the standard drops are left out: a candidate with two widths, or with a
  /// density that is no number.
  package static func candidates(_ attribute: ArraySlice<UInt8>) -> [PageImage.Candidate] {
    var candidates: [PageImage.Candidate] = []
    append(attribute, .source, to: &candidates)
    return candidates
  }

  /// The same, appended to other candidates of the picture.
  static func append(
    _ attribute: ArraySlice<UInt8>, _ rank: PageImage.Candidate.Rank, to candidates: inout [PageImage.Candidate]
  ) {
    let most = candidates.count + mostCandidates
    var rest = attribute
    while candidates.count < most {
      rest = rest.drop { TextBytes.isSpace($0) || $0 == comma }
      guard !rest.isEmpty else { break }
      var reference = rest.prefix { !TextBytes.isSpace($0) }
      rest = rest[reference.endIndex...]
      var description = Description()
      if reference.last == comma {
        while reference.last == comma { reference.removeLast() }
      } else {
        takeDescription(&rest, &description)
      }
      guard description.isValid else { continue }
      var candidate = PageImage.Candidate(reference: PageImage.Candidate.kept(reference))
      candidate.width = description.width
      candidate.density = description.density ?? 1
      candidate.rank = rank
      candidates.append(candidate)
    }
  }

  private static let comma = UInt8(ascii: ",")

  /// Takes what describes a candidate, up to the comma that ends it. Within parentheses commas and spaces end nothing.
  private static func takeDescription(_ rest: inout ArraySlice<UInt8>, _ description: inout Description) {
    var start = rest.startIndex
    var at = start
    var isInParentheses = false
    while at < rest.endIndex {
      let byte = rest[at]
      if isInParentheses {
        isInParentheses = byte != UInt8(ascii: ")")
      } else if byte == comma {
        description.take(rest[start..<at])
        rest = rest[(at + 1)...]
        return
      } else if TextBytes.isSpace(byte) {
        description.take(rest[start..<at])
        start = at + 1
      } else if byte == UInt8(ascii: "(") {
        isInParentheses = true
      }
      at += 1
    }
    description.take(rest[start..<at])
    rest = rest[at...]
  }

  /// The description of a candidate, by its descriptors one after the other.
  private struct Description {
    private(set) var width: Int?
    private(set) var density: Double?
    private var hasHeight = false
    private var isFlawed = false

    var isValid: Bool { !isFlawed && (!hasHeight || width != nil) }

    mutating func take(_ descriptor: ArraySlice<UInt8>) {
      guard let unit = descriptor.last else { return }
      let number = descriptor.dropLast()
      switch unit {
      case UInt8(ascii: "w"):
        isFlawed = isFlawed || width != nil || density != nil
        width = whole(number)
        isFlawed = isFlawed || width == nil
      case UInt8(ascii: "x"):
        isFlawed = isFlawed || width != nil || density != nil || hasHeight || !isNumber(number)
        guard !isFlawed, let value = Double(String(decoding: number, as: UTF8.self)), value >= 0 else {
          return isFlawed = true
        }
        density = value
      case UInt8(ascii: "h"):
        isFlawed = isFlawed || hasHeight || density != nil || whole(number) == nil
        hasHeight = true
      default: isFlawed = true
      }
    }
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
