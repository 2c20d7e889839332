import ImgfetchCore

/// A condition on a column of a table, as `--where` has it: `punsafe < 0.5`. A pure value.
///
/// Records that do not meet it are skipped. Their numbers are not given to others, so that the condition does not
/// change which shard a record belongs to.
struct ColumnFilter: Hashable, Sendable {
  enum Comparison: String, CaseIterable, Sendable {
    // The longer ones first: they begin with the shorter ones.
    case lessOrEqual = "<="
    case greaterOrEqual = ">="
    case unequal = "!="
    case twiceEqual = "=="
    case less = "<"
    case greater = ">"
    case equal = "="
  }

  enum Operand: Hashable, Sendable {
    case number(Double)
    /// A whole number from 2^53 on, such as an identifier of 64 bits: a Double would be equal to its neighbours, too.
    case whole(Int128)
    case text([UInt8])
    case null
  }

  let column: String
  let comparison: Comparison
  let operand: Operand

  /// Reads `COLUMN OP VALUE`. A column in quotation marks may hold an operator. A value in them is a text; without them
  /// it is a number, or null, where it looks like one.
  init(_ text: String) throws(ValueError) {
    let wanted = ValueError(
      "a condition such as 'punsafe < 0.5', 'lang = en' or 'text != null' is wanted, with one of = != < <= > >=")
    let bytes = Array(text.utf8)
    var found: (at: Int, comparison: Comparison)?
    for at in Self.endOfQuoted(bytes)..<bytes.count where found == nil {
      guard let comparison = Comparison.allCases.first(where: { bytes[at...].starts(with: $0.rawValue.utf8) }) else {
        continue
      }
      found = (at, comparison)
    }
    guard let (at, comparison) = found else { throw wanted }
    let name = Self.trimmed(bytes[..<at])
    let value = Self.trimmed(bytes[(at + comparison.rawValue.utf8.count)...])
    guard !name.isEmpty, let column = String(validating: Self.unquoted(name) ?? name, as: UTF8.self) else {
      throw wanted
    }
    self.column = column
    self.comparison = comparison
    if let text = Self.unquoted(value) {
      operand = .text(Array(text))
    } else if value.elementsEqual("null".utf8) {
      operand = .null
    } else if let whole = Self.whole(value), whole.magnitude >= 1 << 53 {
      operand = .whole(whole)
    } else if let number = Self.number(value) {
      operand = .number(number)
    } else if value.isEmpty {
      throw wanted
    } else if let first = value.first, "=<>!~".utf8.contains(first) {
      // `<>`, `=>` and `=~` are operators of other languages.
      throw ValueError(
        "a comparison is one of = != < <= > >=; a text that begins with such a character stands in quotation marks")
    } else {
      operand = .text(Array(value))
    }
    let isOrder = comparison != .equal && comparison != .unequal && comparison != .twiceEqual
    if operand == .null, isOrder {
      throw ValueError("null is neither less nor greater than anything; = and != ask for it")
    }
  }

  /// The condition in one form, however it was typed.
  var text: String {
    let value =
      switch operand {
      case .number(let number): "\(number)"
      case .whole(let number): "\(number)"
      case .text(let bytes): "'\(String(decoding: bytes, as: UTF8.self))'"
      case .null: "null"
      }
    return "\(columnText) \(comparison == .twiceEqual ? "=" : comparison.rawValue) \(value)"
  }

  private var columnText: String {
    guard column.utf8.contains(where: { "=<>!".utf8.contains($0) }) else { return column }
    return column.utf8.contains(UInt8(ascii: "'")) ? "\"\(column)\"" : "'\(column)'"
  }

  /// The end of the column in quotation marks with which a condition begins; 0 if it does not.
  private static func endOfQuoted(_ bytes: [UInt8]) -> Int {
    guard let start = bytes.firstIndex(where: { $0 > 0x20 }), "'\"".utf8.contains(bytes[start]),
      let end = bytes[(start + 1)...].firstIndex(of: bytes[start])
    else { return 0 }
    return end + 1
  }

  /// Returns true if a record of a table of text meets the condition. An empty field has no value there: it is null,
  /// and as a text it is empty.
  func holds(field: ArraySlice<UInt8>?) -> Bool {
    guard let field, field.isEmpty else { return holds(field) }
    return holds(nil) || (operand == .text([]) && holds(field))
  }

  /// Returns true if a record meets the condition.
  ///
  /// - Parameter value: The record's value in the column, or nil if it has none, or null.
  func holds(_ value: ArraySlice<UInt8>?) -> Bool {
    guard let value else {
      // As in SQL: a missing value is equal to nothing but null.
      return operand == .null && (comparison == .equal || comparison == .twiceEqual)
    }
    switch operand {
    case .null: return comparison == .unequal
    case .number(let wanted):
      guard let number = Self.number(Self.trimmed(value)) else { return comparison == .unequal }
      return holds(isLess: number < wanted, isGreater: number > wanted)
    case .whole(let wanted):
      let value = Self.trimmed(value)
      if let whole = Self.whole(value) { return holds(isLess: whole < wanted, isGreater: whole > wanted) }
      guard let number = Self.number(value) else { return comparison == .unequal }
      return holds(isLess: number < Double(wanted), isGreater: number > Double(wanted))
    case .text(let wanted):
      return holds(
        isLess: value.lexicographicallyPrecedes(wanted), isGreater: wanted.lexicographicallyPrecedes(value))
    }
  }

  private func holds(isLess: Bool, isGreater: Bool) -> Bool {
    switch comparison {
    case .equal, .twiceEqual: !isLess && !isGreater
    case .unequal: isLess || isGreater
    case .less: isLess
    case .lessOrEqual: !isGreater
    case .greater: isGreater
    case .greaterOrEqual: !isLess
    }
  }

  /// A decimal number; nil for anything else that Swift would read as one (`inf`, `nan`, hexadecimal).
  private static func number(_ text: some Collection<UInt8>) -> Double? {
    guard (1...64).contains(text.count), text.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    return Double(String(decoding: text, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
  }

  /// A whole number; nil for what has a point, an exponent or more digits than any identifier.
  private static func whole(_ text: some Collection<UInt8>) -> Int128? {
    text.count <= 64 ? Int128(String(decoding: text, as: UTF8.self)) : nil
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text
    while let first = text.first, first <= 0x20 { text.removeFirst() }
    while let last = text.last, last <= 0x20 { text.removeLast() }
    return text
  }

  private static func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard text.count >= 2, let mark = text.first, mark == text.last, "'\"".utf8.contains(mark) else { return nil }
    return text.dropFirst().dropLast()
  }
}
