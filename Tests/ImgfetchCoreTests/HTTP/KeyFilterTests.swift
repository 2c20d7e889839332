import Testing

@testable import ImgfetchCore

@Suite("The cache key of a URL")
struct KeyFilterTests {
  private let url = "https://Example.org/a?w=2&sig=x&a%26b=1&sig=y"

  @Test("is the canonical URL without a filter")
  func plain() throws {
    let url = try WebURL(url)
    #expect(KeyFilter.none.key(for: url) == url.canonical)
    #expect(KeyFilter().key(for: url) == "https://example.org/a?w=2&sig=x&a%26b=1&sig=y")
  }

  @Test("omits the query and marks that, even where there is none")
  func query() throws {
    let filter = KeyFilter(ignoreQuery: true, ignoredParameters: ["sig"])
    #expect(filter.key(for: try WebURL(url)) == "https://example.org/a|-?")
    #expect(filter.key(for: try WebURL("https://example.org/a")) == "https://example.org/a|-?")
  }

  @Test(
    "omits all parameters with a given name",
    arguments: [
      (["sig"], "https://example.org/a?w=2&a%26b=1|-sig"),
      (["w", "sig", "w"], "https://example.org/a?a%26b=1|-sig|-w"),
      (["a&b"], "https://example.org/a?w=2&sig=x&sig=y|-a%26b"),
      (["a%26b"], "https://example.org/a?w=2&sig=x&sig=y|-a%26b"),
      (["s|g"], "https://example.org/a?w=2&sig=x&a%26b=1&sig=y|-s%7Cg"),
      (["w", "sig", "a&b"], "https://example.org/a|-a%26b|-sig|-w"),
    ])
  func parameters(names: [String], key: String) throws {
    #expect(KeyFilter(ignoredParameters: names).key(for: try WebURL(url)) == key)
  }

  @Test("is the given one with a mark, whatever the URL")
  func replaced() throws {
    let filter = KeyFilter(replacement: "poster\n")
    #expect(filter.key(for: try WebURL(url)) == "|poster%0A")
    #expect(filter.key(for: try WebURL("https://h/")) == "|poster%0A")
  }

  @Test("with a mark equals no URL's, since no canonical URL contains a bar")
  func mark() throws {
    #expect(try WebURL("https://h/a|-?b|c").canonical == "https://h/a%7C-?b%7Cc")
    #expect(throws: URLFailure.badHost("a|b")) { try WebURL("https://a|b/") }
  }
}
