@testable import ImgfetchCore

// Targets for answers of servers, and for lists of URLs.
extension FuzzTarget {
  private static let now = WallTime(seconds: 1_767_225_600)

  static let http = [
    FuzzTarget("url", words: ["http://", "https://", "[::1]", "xn--", "%2F", "/../", "@", ":443", "?", "#"]) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      _ = WebURL.masked(text)
      let base = try WebURL("https://me:pw@example.org:8443/a/b?c")
      for url in [try? WebURL(text), try? base.resolving(bytes: bytes.span)] {
        guard let url else { continue }
        try Fault.unless(url.requestURL.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "unfit for a request line")
        try Fault.unless(try WebURL(url.canonical).canonical == url.canonical, "the key has another key")
        try Fault.unless(url.requestURL.hasPrefix(url.origin.description + "/"), "sent to another origin")
        _ = (url.user, url.password, url.lastPathSegment, url.display, url.address?.description)
        for filter in [KeyFilter(ignoreQuery: true), KeyFilter(ignoredParameters: ["a", "sig"])] {
          let key = CacheKey(url: filter.key(for: url))
          try Fault.unless(key == CacheKey(url: filter.key(for: url)), "a key that is another the second time")
        }
      }
    },
    FuzzTarget(
      "header",
      words: [
        "HTTP/1.1 ", "Cache-Control: ", "max-age=", "no-cache=\"", "private", "ETag: W/\"", "Vary: ", "Set-Cookie: ",
        "Content-Range: bytes ", "Retry-After: ", "WWW-Authenticate: Digest ", "Content-Length: ", "\r\n", "\r\n ",
      ]
    ) { bytes in
      var reader = HeadReader()
      var fields = HeaderFields()
      for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
        let line = Array(line) + [10]
        if case .failed = reader.take(line.span) { break }
        fields.appendLine(line.span)
      }
      try Fault.unless(HeaderFields(encoded: fields.encoded().span) == fields, "read differently after it was stored")
      try Fault.unless(
        fields.allSatisfy { !$0.value.utf8.contains { [0, 10, 13].contains($0) } }, "a line break in a value")
      _ = (ResponseDirectives(fields), Variance(fields), reader.takeHead())
      let validators = Validators(fields, now: now)
      _ = (validators.conditionalFields, validators.isStrongForRange(date: now))
      let url = try WebURL("https://example.org/a.png")
      for field in fields {
        _ = Cookie.parse(field.value, from: url, now: now)
        _ = RetryAfter.parse(field.value, now: now)
        _ = ContentRange.parse(field.value)
      }
      _ = RangeResume(length: 5, total: 10, validators: validators, date: now)
        .decide(status: 206, fields: fields, now: now)
    },
    FuzzTarget(
      "date", words: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Nov  6", "GMT", "9999"]
    ) { bytes in
      guard let time = HTTPDate.parse(String(decoding: bytes, as: UTF8.self), now: now) else { return }
      _ = time.timestamp
    },
    FuzzTarget("netrc", words: ["machine ", "default ", "login ", "password ", "macdef ", "\n\n", "\""]) { bytes in
      _ = Netrc(String(decoding: bytes, as: UTF8.self))
    },
    FuzzTarget("cookies", words: ["#HttpOnly_", "\tTRUE\t", "\tFALSE\t", "\t/\t", "\t0\t"]) { bytes in
      let jar = CookieJar(String(decoding: bytes, as: UTF8.self))
      try Fault.unless(CookieJar(jar.text).text == jar.text, "another jar after it was written")
    },
  ]
}
