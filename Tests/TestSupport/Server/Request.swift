extension TestServer {
  /// A request as it reached the server.
  package struct Request: Sendable, CustomStringConvertible {
    package var method = ""
    /// The target in the request line: a path with its query, or a whole URL from a client that takes this for a proxy.
    package var target = ""
    package var version = ""
    /// All fields in their order, the names as they were written.
    package var headers: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    /// The bytes of the request line and fields as they came.
    package var head: [UInt8] = []
    /// The request's number among those for this path, from 1.
    package var ordinal = 0
    /// The number of the connection that it came over, from 1.
    package var connection = 0

    package init() {}

    /// The target without its query.
    package var path: String {
      target.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init) ?? ""
    }

    /// The part behind the question mark, or nil if there is none.
    package var query: String? {
      target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first.map(String.init)
    }

    /// The value of the first field of that name, in any case.
    package subscript(name: String) -> String? { values(of: name).first }

    /// The values of all fields of that name, in order.
    package func values(of name: String) -> [String] {
      headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    package var description: String { "\(method) \(target)" }
  }
}

extension TestServer.Request {
  /// Reads a head that ended with an empty line, or nil if it is not HTTP.
  init?(head: [UInt8]) {
    self.head = head
    let lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
    let words = (lines.first ?? "").split(separator: " ").map(String.init)
    guard words.count == 3 else { return nil }
    (method, target, version) = (words[0], words[1], words[2])
    for line in lines.dropFirst() where !line.isEmpty {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      var value = line[line.index(after: colon)...]
      while value.first == " " || value.first == "\t" { value.removeFirst() }
      while value.last == " " || value.last == "\t" { value.removeLast() }
      headers.append((String(line[..<colon]), String(value)))
    }
  }

  var keepsAlive: Bool {
    version == "HTTP/1.1" && !values(of: "Connection").contains { $0.lowercased().contains("close") }
  }
}
