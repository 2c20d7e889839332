/// The parts of a URL that the cache key ignores: `--key-ignore-query`, `--key-ignore-param` and `--cache-key`.
///
/// An active filter marks every key with a `|`, which occurs in no canonical URL. A filtered key therefore never equals
/// the key of a URL or of another filter: what a lenient run stored under `https://example.org/a|-?` is never served to
/// a strict one. The marks:
///
///     https://example.org/a|-?          without its query
///     https://example.org/a?w=2|-sig    without the parameter `sig`; several are sorted
///     |poster                           the key that was given instead
public struct KeyFilter: Sendable, Hashable {
  /// True if the whole query is ignored.
  public let ignoreQuery: Bool
  /// The names of the query parameters that are ignored, wherever and however often they occur.
  public let ignoredParameters: [String]
  /// The key for every URL, or nil if the key depends on the URL.
  public let replacement: String?

  private let mark: String
  /// The names in canonical form, to be compared with the parameters of a canonical URL.
  private let names: [[UInt8]]

  /// The filter that changes no key.
  public static let none = KeyFilter()

  /// A filter with these parts; without any it is ``none``.
  public init(ignoreQuery: Bool = false, ignoredParameters: [String] = [], replacement: String? = nil) {
    self.ignoreQuery = ignoreQuery
    self.ignoredParameters = ignoredParameters
    self.replacement = replacement
    let texts = ignoredParameters.isEmpty ? [] : Set(ignoredParameters.map(Self.canonicalName)).sorted()
    names = texts.map { [UInt8]($0.utf8) }
    // Not `joined`: every run makes a filter, and the runtime would have to look up the array's conformances.
    mark = ignoreQuery ? "|-?" : texts.reduce("") { $0 + "|-" + $1 }
  }

  /// True if the filter changes no key.
  var isNone: Bool { mark.isEmpty && replacement == nil }

  /// True if a key was given, by the user or by the program's own rule, and is not derived from a URL.
  static func isGiven(_ key: String) -> Bool { key.utf8.first == UInt8(ascii: "|") }

  /// The cache key for a text that the user gives in place of a URL's key.
  package static func key(given text: String) -> String { "|" + PercentCoding.escapingControls(text) }

  /// The cache key for `url`. Printable ASCII, except for what `replacement` contains.
  public func key(for url: WebURL) -> String {
    if let replacement { return Self.key(given: replacement) }
    guard !mark.isEmpty else { return url.canonical }
    let canonical = url.canonical
    guard let question = canonical.utf8.firstIndex(of: UInt8(ascii: "?")) else { return canonical + mark }
    if ignoreQuery { return canonical[..<question] + mark }

    var kept: [UInt8] = []
    kept.reserveCapacity(canonical.utf8.count + mark.utf8.count)
    let query = canonical.utf8[canonical.utf8.index(after: question)...]
    for parameter in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
      let name = parameter.prefix { $0 != UInt8(ascii: "=") }
      if names.contains(where: { $0.elementsEqual(name) }) { continue }
      kept.append(UInt8(ascii: kept.isEmpty ? "?" : "&"))
      kept.append(contentsOf: parameter)
    }
    return canonical[..<question] + String(decoding: kept, as: UTF8.self) + mark
  }

  /// A name as typed, plain or escaped, in the form that it has in a canonical query, where `&` and `=` occur
  /// in names only as escapes.
  private static func canonicalName(_ name: String) -> String {
    let typed = [UInt8](name.utf8)
    var output: [UInt8] = []
    for byte in URLTarget.canonical(typed, from: 0) ?? typed {
      if byte == UInt8(ascii: "&") || byte == UInt8(ascii: "=") {
        PercentCoding.append(escapeOf: byte, to: &output)
      } else {
        output.append(byte)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
