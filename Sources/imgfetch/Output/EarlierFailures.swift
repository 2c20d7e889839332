import ImgfetchCore

/// The failures of the previous run, from its `--failed-list`, for a run that reports only new ones.
struct EarlierFailures: Sendable {
  /// The failure of each URL, kind and status, by the hash of the URL's text. A million of them are some megabytes.
  private var failures: [Int: Int] = [:]

  /// Nil if there is no such list.
  init?(_ path: String, isNullEnded: Bool, _ urls: URLReader) {
    guard let list = Self.open(path) else { return nil }
    let end = isNullEnded ? UInt8(0) : UInt8(ascii: "\n")
    var bytes: [UInt8] = []
    while let count = try? list.read(into: &bytes, count: 1 << 16), count > 0 {
      guard let last = bytes.lastIndex(of: end) else { continue }
      for line in bytes[..<last].split(separator: end) { add(line, urls) }
      bytes.removeSubrange(...last)
    }
  }

  /// The beginning of a list of failures.
  private static let mark = Array("# imgfetch --failed-list".utf8)

  /// The list of that name, or under one of the names that it gets beside another file; nil if none of them is a list
  /// of failures.
  private static func open(_ path: String) -> Descriptor? {
    for name in [path] + (1...9).map({ "\(path).\($0)" }) {
      guard let file = try? Descriptor.open(name, [.read, .nonBlocking]), (try? file.status().kind) == .regular else {
        continue
      }
      var start: [UInt8] = []
      _ = try? file.read(into: &start, count: mark.count, at: 0)
      if start == mark { return file }
    }
    return nil
  }

  private mutating func add(_ line: ArraySlice<UInt8>, _ urls: URLReader) {
    let fields = line.split(separator: UInt8(ascii: "\t"))
    let mark = Array("was=".utf8)
    guard let url = fields.first, url.first != UInt8(ascii: "#"),
      let was = fields.last(where: { $0.starts(with: mark) })
    else { return }
    let text = String(decoding: url, as: UTF8.self)
    let shown: String
    do throws(URLFailure) { shown = try urls.url(text).display } catch { shown = WebURL.masked(text) }
    failures[Self.hash(shown)] = Self.hash(String(decoding: was.dropFirst(mark.count), as: UTF8.self))
  }

  /// True if the URL, as results show it, failed in the same way before.
  func has(_ url: String, _ error: FetchError) -> Bool { failures[Self.hash(url)] == Self.hash(error.kindAndStatus) }

  private static func hash(_ text: String) -> Int {
    var hasher = Hasher()
    hasher.combine(text)
    return hasher.finalize()
  }
}
