import ImgfetchCore

/// The failures of the previous run, from its `--failed-list`, for a run that reports only new ones.
struct EarlierFailures: Sendable {
  /// The failure of each URL, by the hash of the URL's text: its place in ``words``. A million take some megabytes.
  private var failures: [Int: UInt16] = [:]
  /// Kinds with their statuses, as the list has them.
  private var words: [String] = []
  private let urls: URLReader

  /// Nil if there is no such list.
  init?(_ path: String, _ list: ListSettings) {
    guard let (name, file) = Self.open(path) else { return nil }
    urls = list.urls
    if list.format == .lines {
      add(linesOf: file.file, endedBy: list.isNullEnded ? 0 : UInt8(ascii: "\n"))
    } else {
      add(table: name, list)
    }
  }

  private mutating func add(linesOf file: borrowing Descriptor, endedBy end: UInt8) {
    var bytes: [UInt8] = []
    while let count = try? file.read(into: &bytes, count: 1 << 16), count > 0 {
      guard let last = bytes.lastIndex(of: end) else { continue }
      for line in bytes[..<last].split(separator: end) { add(line) }
      bytes.removeSubrange(...last)
    }
  }

  private mutating func add(table path: String, _ settings: ListSettings) {
    var list = InputList(
      operands: [], lists: [path], isNullEnded: settings.isNullEnded, format: settings.format,
      columns: settings.columns, urls: settings.urls)
    while let item = try? list.next() {
      guard let was = list.earlierFailure else { continue }
      switch item {
      case .line(let line): add(line.url.display, was)
      case .invalid(let line): add(line.url, was)
      case .pending: return
      }
    }
  }

  private static let mark = Array(FailedListMark.beginning.utf8)

  /// The list of that name, or under one of the names that it gets beside another file; nil if none of them is a list
  /// of failures.
  private static func open(_ path: String) -> (name: String, file: SharedDescriptor)? {
    for name in [path] + (1...9).map({ "\(path).\($0)" }) {
      guard let file = try? Descriptor.open(name, [.read, .nonBlocking]), (try? file.status().kind) == .regular else {
        continue
      }
      var start: [UInt8] = []
      _ = try? file.read(into: &start, count: mark.count, at: 0)
      if start == mark { return (name, SharedDescriptor(file)) }
    }
    return nil
  }

  private mutating func add(_ line: ArraySlice<UInt8>) {
    let fields = line.split(separator: UInt8(ascii: "\t"))
    let mark = Array("was=".utf8)
    guard let url = fields.first, url.first != UInt8(ascii: "#"),
      let was = fields.last(where: { $0.starts(with: mark) })?.dropFirst(mark.count), was.count <= Self.longestWord
    else { return }
    add(shown(url), String(decoding: was, as: UTF8.self))
  }

  private mutating func add(_ url: String, _ word: String) {
    guard let place = words.firstIndex(where: { $0.hasBytes(of: word) }) ?? place(of: word) else { return }
    failures[Self.hash(url)] = UInt16(place)
  }

  /// Adds a word. Nil: there are more than there are kinds and statuses that are seen.
  private mutating func place(of word: String) -> Int? {
    guard words.count < Self.mostWords else { return nil }
    words.append(word)
    return words.count - 1
  }

  private static let longestWord = 32
  private static let mostWords = 256

  /// The URL of a line as results show it.
  private func shown(_ url: ArraySlice<UInt8>) -> String {
    let text = String(decoding: url, as: UTF8.self)
    do throws(URLFailure) { return try urls.url(text).display } catch { return MaskedText.of(text) }
  }

  /// True if the URL, as results show it, failed in the same way before.
  func has(_ url: String, _ error: FetchError) -> Bool {
    failures[Self.hash(url)].map { words[Int($0)].hasBytes(of: error.kindAndStatus) } ?? false
  }

  /// The earlier failure of a line's URL: kind and status. Nil if there was none.
  func failure(ofLine line: ArraySlice<UInt8>) -> String? {
    line.split(separator: UInt8(ascii: "\t"), maxSplits: 1).first
      .flatMap { failure(of: shown($0)) }
  }

  /// The earlier failure of a URL, as results show it.
  func failure(of url: String) -> String? { failures[Self.hash(url)].map { words[Int($0)] } }

  private static func hash(_ text: String) -> Int {
    var hasher = Hasher()
    hasher.combine(text)
    return hasher.finalize()
  }
}
