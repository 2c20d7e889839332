/// Reads the values of options: pure functions from text to what it means. Each throws what would have been right.
enum Values {
  /// What was wanted, to follow "cannot be 'abc': ".
  struct Wanted: Error, Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }
  }

  /// A whole number within a range.
  static func count(_ text: String, in range: ClosedRange<Int>) throws(Wanted) -> Int {
    guard let number = digits(text), range.contains(number) else {
      throw Wanted("a whole number from \(range.lowerBound) to \(range.upperBound) is wanted")
    }
    return number
  }

  /// Bytes, or pixels: `300`, `64K`, `1.5M`, `5G`, `2T`, in steps of 1024.
  static func size(_ text: String) throws(Wanted) -> Int {
    let wanted = Wanted("a size is wanted, such as 64K, 1.5M or 5G")
    guard let (number, unit) = numberAndUnit(text) else { throw wanted }
    let factor: Double
    switch unit {
    case "", "B": factor = 1
    case "K", "k", "KiB": factor = 1024
    case "M", "m", "MiB": factor = 1_048_576
    case "G", "g", "GiB": factor = 1_073_741_824
    case "T", "t", "TiB": factor = 1_099_511_627_776
    default: throw wanted
    }
    let size = number * factor
    // 2^53: beyond it a Double no longer counts single bytes, and no disk is that large.
    guard size <= 9_007_199_254_740_992 else { throw wanted }
    return Int(size)
  }

  /// A length of time in nanoseconds: `15` and `15s` are seconds, `500ms`, `10m`, `1.5h`, `7d`, `2w`.
  static func duration(_ text: String) throws(Wanted) -> Int64 {
    let wanted = Wanted("a time is wanted, such as 500ms, 15s, 10m, 1.5h, 7d or 2w")
    guard let (number, unit) = numberAndUnit(text) else { throw wanted }
    let seconds: Double
    switch unit {
    case "ms": seconds = 0.001
    case "", "s": seconds = 1
    case "m": seconds = 60
    case "h": seconds = 3_600
    case "d": seconds = 86_400
    case "w": seconds = 604_800
    default: throw wanted
    }
    let span = number * seconds
    // A hundred years: more would not fit 64 bits of nanoseconds when it is added to a date.
    guard span <= 3_155_760_000 else { throw Wanted("at most a hundred years are possible") }
    return Int64(span * 1_000_000_000)
  }

  static func choice<C: Choice>(_ text: String, _: C.Type) throws(Wanted) -> C {
    guard let choice = C(rawValue: text) else { throw wanted(text, of: C.words) }
    return choice
  }

  /// Words separated by commas.
  static func choices<C: Choice>(_ text: String, _: C.Type) throws(Wanted) -> [C] {
    var choices: [C] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let choice = try choice(String(word), C.self)
      if !choices.contains(choice) { choices.append(choice) }
    }
    return choices
  }

  private static func wanted(_ text: String, of words: [String]) -> Wanted {
    let list = words.dropLast().joined(separator: ", ")
    return Wanted("\(list) or \(words.last ?? "") is wanted" + Suggestion.question(for: text, among: words))
  }

  /// A word for a file or anything else: not empty, and no NUL, at which the system would cut it short.
  static func text(_ text: String) throws(Wanted) -> String {
    guard !text.isEmpty else { throw Wanted("something is wanted, and it is empty") }
    guard !text.utf8.contains(0) else { throw Wanted("a NUL byte is not possible") }
    return text
  }

  /// The fields in braces must be among these, and only numbers are padded; a brace that opens none stands for itself.
  static func template(_ text: String, fields: [String], numbers: [String] = []) throws(Wanted) -> String {
    var rest = try Values.text(text)[...]
    while let open = rest.firstIndex(of: "{") {
      guard let field = TemplateField(at: rest[open...]) else {
        rest = rest[rest.index(after: open)...]
        continue
      }
      rest = field.rest
      let name = String(field.name)
      guard fields.contains(name) else {
        throw Wanted(
          "there is no field {\(name)}" + Suggestion.question(for: name, among: fields) + "; there are "
            + fields.joined(separator: ", "))
      }
      guard let format = field.format else { continue }
      guard numbers.contains(name) else {
        let example = numbers.first.map { ", as in {\($0):04}" } ?? ""
        throw Wanted("{\(name)} takes no digits; \(numbers.joined(separator: ", ")) may have them\(example)")
      }
      guard field.digits != nil else {
        throw Wanted("{\(name):\(format)} is not understood; {\(name):04} is a number with at least four digits")
      }
    }
    return text
  }
}

extension Values {
  /// A template for names of outputs, which never leads out of their folder.
  static func nameTemplate(_ text: String) throws(Wanted) -> String {
    let text = try template(text, fields: Flag.nameFields, numbers: Flag.nameNumbers)
    if text.hasPrefix("/") { throw Wanted("it begins with '/'; the folder is given with --output-dir") }
    if text.split(separator: "/").contains("..") {
      throw Wanted("it leads out of the output folder; give that folder with --output-dir")
    }
    if text.hasSuffix("/") { throw Wanted("it names a folder; end it with '/{name}.{ext}'") }
    return text
  }

  /// A number of digits alone: no sign, no blank.
  static func digits(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  /// `1.5M` as 1.5 and `M`. No sign and no exponent.
  static func numberAndUnit(_ text: String) -> (Double, Substring)? {
    let number = text.prefix { $0 == "." || ("0"..."9").contains($0) && $0.isASCII }
    let unit = text[number.endIndex...]
    // Nearly all are whole, and Double's own parser is slow to start.
    if let whole = digits(number) { return (Double(whole), unit) }
    guard !number.isEmpty, !number.hasPrefix("."), let value = Double(number), value.isFinite else { return nil }
    return (value, unit)
  }
}
