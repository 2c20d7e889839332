import ImgfetchCore
import ImgfetchDataSet

extension Values {
  static func listPart(_ text: String) throws(ValueError) -> ListPart {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = digits(parts[0]), let count = digits(parts[1]), index >= 1, index <= count,
      count <= 1_000_000
    else { throw ValueError("K/N is wanted, part K of N counted from 1, such as 3/8") }
    return ListPart(index: index, count: count)
  }

  /// `5%` or `5`, as a part of 1.
  static func percent(_ text: String) throws(ValueError) -> Double {
    guard let (number, unit) = numberAndUnit(text), unit == "" || unit == "%", number <= 100 else {
      throw ValueError("a percentage is wanted, such as 5% or 0.5%")
    }
    return number / 100
  }

  static func rate(_ text: String) throws(ValueError) -> RequestRate {
    let wanted = ValueError("requests in a time are wanted, such as 5/s, 30/m or 600/h")
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let requests = digits(parts[0]), (1...1_000_000).contains(requests) else { throw wanted }
    switch parts[1] {
    case "s": return RequestRate(requests: requests, nanoseconds: 1_000_000_000)
    case "m": return RequestRate(requests: requests, nanoseconds: 60_000_000_000)
    case "h": return RequestRate(requests: requests, nanoseconds: 3_600_000_000_000)
    default: throw wanted
    }
  }

  static func statuses(_ text: String) throws(ValueError) -> StatusSet {
    let wanted = ValueError("statuses are wanted, such as 200-299,304")
    var bounds: [Int] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count <= 2, let first = ends.first.flatMap({ digits($0) }),
        let last = ends.last.flatMap({ digits($0) }),
        first <= last, first >= 100, last <= 599
      else { throw wanted }
      bounds += [first, last]
    }
    return StatusSet(bounds: bounds)
  }

  /// The name of a request field that may be left out of keys.
  static func ignorableHeader(_ text: String) throws(ValueError) -> String {
    guard !text.isEmpty, text.utf8.allSatisfy({ isToken($0) }) else {
      throw ValueError("the name of a header field is wanted")
    }
    guard !FieldNature.of(text).contains(.credential) else {
      throw ValueError("one user's images would be served to another")
    }
    return text
  }

  /// `Name: value`, `Name:` or `Name;`.
  static func header(_ text: String) throws(ValueError) -> HeaderSetting {
    let wanted = ValueError("'Name: value' is wanted, or 'Name:' to leave a field out, 'Name;' to send it empty")
    guard let end = text.utf8.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ";") }) else {
      throw wanted
    }
    let name = text[..<end]
    guard !name.isEmpty, name.utf8.allSatisfy({ isToken($0) }) else { throw wanted }
    let rest = text[text.index(after: end)...]
    // A line break in a value would begin a second header field or a second request.
    guard RequestText.isFieldValue(String(rest)) else {
      throw ValueError("a header field is one line, without control characters")
    }
    // The server would wait for a body, and take the next request for it.
    let isOfBody = ["content-length", "transfer-encoding"].contains { $0.utf8.elementsEqual(name.lowercased().utf8) }
    if isOfBody, text.utf8[end] == UInt8(ascii: ";") || !rest.allSatisfy({ $0 == " " || $0 == "\t" }) {
      throw ValueError("a request for an image has no body, whose length or coding this would be")
    }
    if text.utf8[end] == UInt8(ascii: ";") {
      guard rest.isEmpty else { throw wanted }
      return HeaderSetting(name: String(name), value: "")
    }
    var value = rest.utf8
    while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
    while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
    return HeaderSetting(name: String(name), value: value.isEmpty ? nil : String(Substring(value)))
  }

  /// The characters of a field name (RFC 9110 §5.6.2).
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  static func user(_ text: String) throws(ValueError) -> UserSetting {
    guard RequestText.isCredential(text) else { throw ValueError("it must not contain control characters") }
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      guard !text.isEmpty else { throw ValueError("NAME or NAME:PASSWORD is wanted") }
      return UserSetting(name: text, password: nil)
    }
    return UserSetting(name: String(text[..<colon]), password: String(Substring(text.utf8[colon...].dropFirst())))
  }

  static func address(_ text: String) throws(ValueError) -> ResolveSetting {
    let wanted = ValueError("HOST:PORT:ADDRESS is wanted, such as example.org:443:127.0.0.1")
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, let port = digits(parts[1]), (1...65_535).contains(port) else {
      throw wanted
    }
    var address = parts[2]
    if address.hasPrefix("["), address.hasSuffix("]") { address = address.dropFirst().dropLast() }
    // A number alone is a slip, and a zone would be lost.
    guard address.contains(".") || address.contains(":"), !address.contains("%") else { throw wanted }
    // libcurl takes the usual form only, and `127.1` is an address in URLs.
    guard let usual = IPAddress(host: String(address)) else { throw wanted }
    return ResolveSetting(host: try resolvedHost(parts[0]), port: port, address: "\(usual)")
  }

  /// A host as URLs have it: `bücher.test` is asked for as `xn--bcher-kva.test`. `*` stands for all hosts.
  private static func resolvedHost(_ text: Substring) throws(ValueError) -> String {
    if text == "*" { return "*" }
    do { return try WebURL("http://\(text)/").host } catch { throw ValueError("\(error)") }
  }

  /// The name of a folder: 1 to 64 letters, digits, `.`, `-` and `_`, not beginning with a dot.
  static func namespace(_ text: String) throws(ValueError) -> String {
    let isName = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
      default: false
      }
    }
    guard isName, (1...64).contains(text.utf8.count), !text.hasPrefix(".") else {
      throw ValueError("1 to 64 letters, digits, dots, dashes and underscores are wanted, not beginning with a dot")
    }
    return text
  }

  static func columnFilter(_ text: String) throws(ValueError) -> ColumnFilter { try ColumnFilter(text) }

  /// The extension of a shard's images: it may be neither that of the rows nor that of the captions.
  static func memberExtension(_ text: String) throws(ValueError) -> String {
    let isWord = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    guard isWord, (1...16).contains(text.utf8.count), text != "json", text != "txt" else {
      throw ValueError("an extension of lower-case letters and digits is wanted, such as jpg, other than json and txt")
    }
    return text
  }

  /// A glob over host names. A pattern that can match no host is refused: a mistyped rule must not allow every host.
  static func hostPattern(_ text: String) throws(ValueError) -> String {
    guard HostPattern(text) != nil else {
      if !text.utf8.allSatisfy({ $0 < 0x80 }), !InternationalName.isAvailable {
        throw ValueError(InternationalName.LibraryMissing.explanation)
      }
      throw ValueError("a host is wanted, in which * stands for any characters, such as *.example.org")
    }
    return text.lowercased()
  }

  /// A proxy's URL. Without a scheme it is an http proxy, as with curl.
  static func proxy(_ text: String) throws(ValueError) -> String {
    let wanted = ValueError("a proxy is wanted, such as http://proxy.example.org:3128 or socks5h://127.0.0.1:1080")
    guard !text.isEmpty, !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { throw wanted }
    guard RequestText.isCredential(escaped: text) else {
      throw ValueError("its name and password must not contain control characters")
    }
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].starts(with: "//".utf8) else {
      guard hasFitPort(Substring(text)) else { throw wanted }
      return text
    }
    let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
    guard let scheme = parts.first, schemes.contains(Substring(scheme).lowercased()) else { throw wanted }
    // libcurl would look up a host without a name.
    let place = parts[1].dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
    guard let first = place.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last?.first,
      first != UInt8(ascii: ":"), hasFitPort(Substring(place))
    else { throw wanted }
    return text
  }

  /// True if a host has no port, or one from 1 to 65535. libcurl would take another for a part of the name.
  private static func hasFitPort(_ text: Substring) -> Bool {
    let place = text.utf8.prefix { $0 != UInt8(ascii: "/") }
    let name = place.lastIndex(of: UInt8(ascii: "@")).map { place[$0...].dropFirst() } ?? place
    // An IPv6 address stands in brackets, or has no port.
    let rest = name.lastIndex(of: UInt8(ascii: "]")).map { name[$0...] } ?? name
    guard let colon = rest.lastIndex(of: UInt8(ascii: ":")), rest.firstIndex(of: UInt8(ascii: ":")) == colon else {
      return true
    }
    let port = Substring(rest[colon...].dropFirst())
    return port.isEmpty || digits(port).map { (1...65_535).contains($0) } ?? false
  }

  /// A URL, perhaps without a scheme. Its validity is checked when it is fetched.
  static func url(_ text: String) throws(ValueError) -> String {
    guard !text.isEmpty, !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw ValueError("a URL is wanted")
    }
    return text
  }

  /// A URL in an option. An invalid one is an error of the command line, not an image that failed. What surrounds it is
  /// removed, and other text refused, as in operands and lists.
  static func fetchable(_ text: String) throws(ValueError) -> WebURL {
    let text = try url(text)
    do { return try WebURL(TypedURL.text(of: text) { _ in false }) } catch { throw ValueError("\(error)") }
  }

  /// The URL of a web server's folder, or an address in a bucket.
  static func store(_ text: String) throws(ValueError) -> StoreAddress {
    if S3Account.isAddress(text) {
      do { _ = try S3Account(keys: nil).url(text) } catch { throw ValueError("\(error)") }
      return .bucket(text)
    }
    // A word would be taken as a host.
    guard StoreAddress.isURL(text) else {
      throw ValueError("a URL is wanted, such as https://cache.example.org/images or s3://BUCKET/PREFIX")
    }
    let url = try fetchable(text)
    if url.query != nil { throw ValueError("the URL of a folder is wanted, without a query") }
    return .web(url)
  }

  /// A file, or a URL.
  static func list(_ text: String) throws(ValueError) -> String {
    if S3Account.isAddress(text) {
      _ = try store(text)
    } else if StoreAddress.isURL(text) {
      _ = try fetchable(text)
    }
    return try Values.text(text)
  }

  /// A folder, or the URL of one.
  static func place(_ text: String) throws(ValueError) -> String {
    if S3Account.isAddress(text) || StoreAddress.isURL(text) { _ = try store(text) }
    return try Values.text(text)
  }

  /// curl reads a value without `=` as the name of a file.
  static func cookie(_ text: String) throws(ValueError) -> String {
    guard text.utf8.contains(UInt8(ascii: "=")) else {
      throw ValueError("NAME=VALUE is wanted; --cookie-jar FILE reads cookies from a file")
    }
    return try line(text)
  }

  /// A Referer as browsers send it: without the name, password and fragment of its URL.
  static func referer(_ text: String) throws(ValueError) -> String {
    let text = try line(text)
    // Other schemes, and words that name no host, are sent as they are, but no password in them.
    guard let url = try? WebURL(TypedURL.text(of: text) { _ in false }) else {
      return WebURL.withoutUserInfo(text)
    }
    return url.requestURL
  }

  /// Text for a header field, which must not end it.
  static func line(_ text: String) throws(ValueError) -> String {
    guard RequestText.isFieldValue(text) else { throw ValueError("one line without control characters is wanted") }
    return try Values.text(text)
  }
}
