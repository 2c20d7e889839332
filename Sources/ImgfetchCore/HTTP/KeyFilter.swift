/// Which parts of a URL do not count for the cache: `--key-ignore-query`, `--key-ignore-param` and `--cache-key`.
///
/// A filter that is on leaves a mark in every key, behind a `|` (or before it), which stands in no canonical URL. So a
/// filtered key meets neither the key of a URL nor that of another filter: what a lenient run stored under
/// `https://example.org/a|-?` never answers a strict one. The marks:
///
///     https://example.org/a|-?          without its query
///     https://example.org/a?w=2|-sig    without the parameter `sig`; several are sorted
///     |poster                           the key that was given instead
public struct KeyFilter: Sendable, Hashable {
  /// Whether the whole query is left out.
  public let ignoreQuery: Bool
  /// The names of query parameters that are left out, wherever and however often they stand.
  public let ignoredParameters: [String]
  /// The key to use whatever the URL.
  public let replacement: String?

  private let mark: String
  /// In the canonical form, in which the parameters of a canonical URL are compared with them.
  private let names: [[UInt8]]

  /// The filter that lets every URL be its own key.
  public static let none = KeyFilter()

  /// A filter of these parts; without any it is ``none``.
  public init(ignoreQuery: Bool = false, ignoredParameters: [String] = [], replacement: String? = nil) {
    self.ignoreQuery = ignoreQuery
    self.ignoredParameters = ignoredParameters
    self.replacement = replacement
    let texts = ignoredParameters.isEmpty ? [] : Set(ignoredParameters.map(Self.canonicalName)).sorted()
    names = texts.map { [UInt8]($0.utf8) }
    // Not `joined`: every run makes a filter, and the runtime would look for what makes an array joinable.
    mark = ignoreQuery ? "|-?" : texts.reduce("") { $0 + "|-" + $1 }
  }

  /// Whether it lets every URL be its own key.
  var isNone: Bool { mark.isEmpty && replacement == nil }

  /// What the cache goes by for `url`. Printable ASCII, but for what stands in `replacement`.
  public func key(for url: WebURL) -> String {
    if let replacement { return "|" + PercentCoding.escapingControls(replacement) }
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

  /// A name as typed on the command line, plain or escaped, in the form that it has in a canonical query: there `&` and
  /// `=` can only stand in it escaped.
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
