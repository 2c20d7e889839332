/// Something of the program that reads what strangers write, as fuzzers call it.
struct FuzzTarget: Sendable, CustomTestStringConvertible {
  /// The name of the folder that its seeds lie in.
  let name: String
  /// Bytes that bring a mutation further than chance does.
  let words: [String]
  /// Reads the bytes. One half of the test is that it neither traps nor hangs; the other is its errors.
  let read: @Sendable ([UInt8]) throws -> Void

  init(_ name: String, words: [String] = [], _ read: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.name = name
    self.words = words
    self.read = read
  }

  var testDescription: String { name }

  static let all = http + files + dataSets + program + images + pages
}

/// The violation of a target's own rules by its result.
struct Fault: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  static func unless(_ isRight: Bool, _ description: @autoclosure () -> String) throws(Fault) {
    if !isRight { throw Fault(description()) }
  }
}

/// The text that a test prints of an argument; unused where there is no testing library.
#if FUZZER
  protocol CustomTestStringConvertible { var testDescription: String { get } }
#else
  import Testing
#endif
