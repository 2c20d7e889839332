import ImgfetchCore

/// A row as a report reads it: its numbers, and its texts as places in its bytes, so that a row costs no memory of its
/// own.
package struct Row: Sendable {
  /// The kinds of objects that stand in a file of rows.
  package enum Kind: Sendable {
    case image
    /// The last object of a run.
    case summary
    /// An object about a shard, whose rows are in its file.
    case shard
    /// An object about something else.
    case other
  }

  /// The place of a text in the row's bytes, between its quotation marks; empty where there is none.
  package struct Text: Sendable, Hashable {
    var start: Int32 = 0
    var end: Int32 = 0

    package var isEmpty: Bool { start == end }
  }

  package internal(set) var kind = Kind.other
  /// Set by the reader of the row; nil unless its image lies in a shard.
  package var image: ImagePlace?
  package internal(set) var url = Text()
  var finalURL = Text()
  var key = Text()
  var file = Text()
  package internal(set) var output = Text()
  var path = Text()
  package internal(set) var id = Text()
  var time = Text()
  var cache = Text()
  var written = Text()
  package internal(set) var duplicateOf = Text()
  var mime = Text()
  var format = Text()
  package internal(set) var errorKind = Text()
  var message = Text()
  package internal(set) var sha256 = Text()
  var sourceSHA256 = Text()
  package internal(set) var thumbhash = Text()
  package internal(set) var blurhash = Text()
  package internal(set) var dhash = Text()
  package internal(set) var phash = Text()
  var verdict = Text()
  var started = Text()

  package internal(set) var line: Int?
  package internal(set) var record: Text = Text()
  package internal(set) var status: Int?
  package internal(set) var width: Int?
  package internal(set) var height: Int?
  package internal(set) var bytes: Int64?
  var downloaded: Int64 = 0
  var attempts = 0
  var elapsed: Double?

  package internal(set) var hasFailed = false
  var isRevalidated = false
  var isShared = false
  var isStale = false
  var hasFlaws = false
  /// True if it names the page that names the image.
  var hasPage = false
  /// Of a summary: whether the run read and answered every line.
  var isComplete = true

  package init() {}

  /// The address that names the image: of a cached one its key, of an inspected one its file.
  package var address: Text { !url.isEmpty ? url : !key.isEmpty ? key : file }

  /// The text by which rows of one image are known, in this run and in another: the key, since signed URLs differ from
  /// run to run.
  package var identity: Text { !key.isEmpty ? key : address }

  /// The address whose host the row counts for: of a failure the last one asked, if that one failed.
  func counted(in bytes: Span<UInt8>) -> Text {
    guard hasFailed, !finalURL.isEmpty, !isOfBucket(bytes) else { return address }
    let kinds: [StaticString] = ["name", "connect", "tls", "timeout", "truncated", "http"]
    return kinds.contains { errorKind.equals($0, in: bytes) } ? finalURL : address
  }

  /// True of an image in a bucket, whose own name is the one that people know.
  private func isOfBucket(_ bytes: Span<UInt8>) -> Bool {
    guard url.end - url.start >= 5 else { return false }
    return Text(start: url.start, end: url.start + 5).equals("s3://", in: bytes)
  }

  /// The file that holds the image, if there is one.
  package var place: Text { !output.isEmpty ? output : !file.isEmpty ? file : path }

  /// The checksum of the image, or of what came where that alone is known.
  package var checksum: Text { sha256.isEmpty ? sourceSHA256 : sha256 }

  /// True of an image that `find` has listed, and that nothing has fetched.
  var isListed: Bool { hasPage && !hasFailed && status == nil && bytes == nil }

  /// True if the image was had and has not failed.
  package var isImage: Bool { kind == .image && !hasFailed }
}

extension Row.Text {
  /// The text itself, its escapes undone and cut between two characters; broken UTF-8 becomes U+FFFD.
  package func string(in bytes: Span<UInt8>, most: Int = 1_024) -> String {
    var text: [UInt8] = []
    JSONText.append(bytes.extracting(Int(start)..<Int(end)), to: &text, most: most)
    return String(decoding: text, as: UTF8.self)
  }

  /// True if the text is just this.
  func equals(_ word: StaticString, in bytes: Span<UInt8>) -> Bool {
    guard Int(end - start) == word.utf8CodeUnitCount else { return false }
    var at = Int(start)
    for byte in "\(word)".utf8 {
      if bytes[at] != byte { return false }
      at += 1
    }
    return true
  }
}

/// Undoes the escapes of JSON strings.
package enum JSONText {
  /// Appends at most so many bytes of a string's inside; a text that is cut ends with `…`.
  package static func append(_ inside: Span<UInt8>, to text: inout [UInt8], most: Int) {
    var at = 0
    let limit = text.count + most
    while at < inside.count {
      if text.count >= limit {
        // Not in the middle of a character.
        while let last = text.last, last & 0xC0 == 0x80 { text.removeLast() }
        if let last = text.last, last >= 0xC0 { text.removeLast() }
        return text.append(contentsOf: "…".utf8)
      }
      let byte = inside[at]
      guard byte == UInt8(ascii: "\\"), at + 1 < inside.count else {
        text.append(byte)
        at += 1
        continue
      }
      switch inside[at + 1] {
      case UInt8(ascii: "u"):
        let (scalar, next) = escaped(inside, at)
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        at = next
        continue
      case UInt8(ascii: "b"): text.append(8)
      case UInt8(ascii: "f"): text.append(12)
      case UInt8(ascii: "n"): text.append(10)
      case UInt8(ascii: "r"): text.append(13)
      case UInt8(ascii: "t"): text.append(9)
      case let other: text.append(other)
      }
      at += 2
    }
  }

  /// The character of `\uXXXX`, or of a pair of them, and the place behind it. Half a pair is U+FFFD.
  private static func escaped(_ text: Span<UInt8>, _ at: Int) -> (Unicode.Scalar, Int) {
    guard let high = unit(text, at) else { return ("\u{FFFD}", min(at + 6, text.count)) }
    if let scalar = Unicode.Scalar(high) { return (scalar, at + 6) }
    if high < 0xDC00, let low = unit(text, at + 6), (0xDC00..<0xE000).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + low - 0xDC00)
    {
      return (scalar, at + 12)
    }
    return ("\u{FFFD}", at + 6)
  }

  private static func unit(_ text: Span<UInt8>, _ at: Int) -> UInt32? {
    guard at + 6 <= text.count, text[at] == UInt8(ascii: "\\"), text[at + 1] == UInt8(ascii: "u") else { return nil }
    var value: UInt32 = 0
    for place in (at + 2)..<(at + 6) {
      guard let digit = Hex.value(text[place]) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }
}

extension Row {
  /// True if the row says that the run has replaced a file by one of other bytes.
  package func isChanged(in bytes: Span<UInt8>) -> Bool { !hasFailed && written.equals("changed", in: bytes) }

  /// The format, or nil if none is known; of cached images, whose rows have none, the end of the media type.
  package func formatWord(in bytes: Span<UInt8>) -> String? {
    if !format.isEmpty { return format.string(in: bytes, most: 16) }
    let mime = mime.string(in: bytes, most: 48)
    guard let slash = mime.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    return String(mime[mime.utf8.index(after: slash)...])
  }

  /// The place in the list: the number of its line, or of its record in a data set.
  package func order(in bytes: Span<UInt8>) -> Int? {
    if let line { return line }
    guard !record.isEmpty, let number = RowNumber.value(bytes, Int(record.start), Int(record.end)) else { return nil }
    return Int(min(number, 1e15))
  }

  /// The cause of a failure: `timeout`, or `http:404`, the kind and the status where the server said no.
  package func cause(in bytes: Span<UInt8>) -> String {
    let kind = errorKind.isEmpty ? "unknown" : errorKind.string(in: bytes, most: 32)
    guard errorKind.equals("http", in: bytes), let status else { return kind }
    return "\(kind):\(status)"
  }
}
