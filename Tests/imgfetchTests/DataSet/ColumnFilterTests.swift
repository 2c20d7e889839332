import Testing

@testable import imgfetch

@Suite("Conditions on columns") struct ColumnFilterTests {
  @Test(
    arguments: [
      ("punsafe < 0.5", "0.4", true), ("punsafe<0.5", "0.5", false), ("punsafe <= .5", "0.50", true),
      ("p > 1e2", "101", true),
      ("p >= 100", "99.9", false), ("p = 5", "5.0", true), ("p == 5", "five", false), ("p != 5", "five", true),
      ("p < 5", "", false),
      ("lang = en", "en", true), ("lang = 'en'", "en ", false), ("lang != \"de\"", "en", true),
      ("n = '5'", "5.0", false),
      ("d >= 2024-01-01", "2024-06-30", true), ("t = ''", "", true), ("t != null", "x", true), ("t = null", "x", false),
    ])
  func values(condition: String, value: String, isMet: Bool) throws {
    #expect(try ColumnFilter(condition).holds(Array(value.utf8)[...]) == isMet)
  }

  @Test(
    "Whole numbers of 64 bits, which a Double rounds, are told from their neighbours",
    arguments: [
      ("id = 9007199254740993", "9007199254740993", true), ("id = 9007199254740993", "9007199254740992", false),
      ("id > 9007199254740992", "9007199254740993", true), ("id != -9007199254740993", "-9007199254740992", true),
      ("id >= 18446744073709551615", "18446744073709551614", false), ("id >= 9007199254740993", "1e16", true),
      ("id < 9007199254740993", "0.5", true), ("id = 9007199254740993", "x", false),
      ("id != 9007199254740993", "x", true),
    ])
  func wholeNumbers(condition: String, value: String, isMet: Bool) throws {
    let filter = try ColumnFilter(condition)
    #expect(filter.holds(Array(value.utf8)[...]) == isMet)
    #expect(try ColumnFilter(filter.text) == filter)
  }

  @Test func differentWholeNumbersAreDifferentJobs() throws {
    #expect(try ColumnFilter("id < 9007199254740993").text != ColumnFilter("id < 9007199254740992").text)
  }

  @Test func whatIsNotThereIsNothingButNull() throws {
    for condition in ["p < 1", "p > 1", "p = 1", "p != 1", "p = ''", "p != null"] {
      #expect(try !ColumnFilter(condition).holds(nil), "\(condition)")
    }
    #expect(try ColumnFilter("p = null").holds(nil))
  }

  @Test(
    arguments: ["", "p", "p <", "< 5", "p < null", "p like x", "p <> 5", "p => 5", "p =< 5", "t =~ x", "p === 5"])
  func wrong(condition: String) {
    #expect(throws: ValueError.self) { try ColumnFilter(condition) }
  }

  @Test func emptyFieldOfTextIsNull() throws {
    for condition in ["t = null", "t = ''", "t == \"\""] {
      #expect(try ColumnFilter(condition).holds(field: []), "\(condition)")
    }
    for condition in ["t != null", "t != ''", "t != en", "t < z", "t != 5", "t < 5", "t >= ''"] {
      #expect(try ColumnFilter(condition).holds(field: []) == (condition == "t >= ''"), "\(condition)")
    }
    #expect(try ColumnFilter("t != null").holds(field: Array("x".utf8)[...]))
  }

  @Test func oneFormForWhatIsTheSame() throws {
    #expect(try ColumnFilter(" p==5 ").text == ColumnFilter("p = 5.0").text)
  }

  @Test(
    arguments: [
      ("'a=b' = 1", "a=b", "1", "'a=b' = 1.0"), ("\"it's < 5\" != x", "it's < 5", "y", "\"it's < 5\" != 'x'"),
      ("'90s'pop = 1", "'90s'pop", "1", "'90s'pop = 1.0"), ("'open < 5", "'open", "4", "'open < 5.0"),
      ("'plain' = 1", "plain", "1", "plain = 1.0"),
    ])
  func columnsInQuotationMarks(condition: String, column: String, value: String, text: String) throws {
    let filter = try ColumnFilter(condition)
    #expect(filter.column == column && filter.text == text)
    #expect(filter.holds(Array(value.utf8)[...]))
    #expect(try ColumnFilter(filter.text) == filter)
  }
}
