/// Logins for hosts, as in a netrc file.
///
/// `machine HOST login NAME password WORD`, with the last two in any order and over any number of lines; `default` for
/// every other host. `account` and macros are ignored. A word may be in double quotes, with a backslash before `"`, `\`
/// and, as in curl, `n`, `r` and `t`. A line whose first word begins with `#` is a comment.
public struct Netrc: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    /// The host in lower case, or nil for every host.
    var host: String?
    var user: String?
    var password: String?
  }

  private var entries: [Entry] = []
  /// True if the last word has a quotation mark before it, and none behind: the rest of the file is in it.
  package private(set) var hasOpenQuote = false

  /// Parses a file's text. It never fails: unknown words are ignored.
  public init(_ text: String) {
    var words = Words(text)
    var entry: Entry?
    while let word = words.next() {
      switch word {
      case "machine":
        if let entry { entries.append(entry) }
        entry = Entry(host: (words.next() ?? "").lowercased())
      case "default":
        if let entry { entries.append(entry) }
        entry = Entry(host: nil)
      case "login": entry?.user = words.next()
      case "password": entry?.password = words.next()
      case "account": _ = words.next()
      case "macdef": words.skipMacro()
      default: break
      }
    }
    if let entry { entries.append(entry) }
    hasOpenQuote = words.hasOpenQuote
  }

  /// The first login that fits `host`, and `user` if given.
  public func login(for host: String, user: String? = nil) -> Login? {
    let host = host.lowercased()
    for entry in entries where entry.host == nil || entry.host == host {
      guard let name = entry.user ?? user, user == nil || name == user else { continue }
      return Login(user: name, password: entry.password ?? "")
    }
    return nil
  }

  /// The host (or `default`) of an entry whose name or password cannot be sent in a request, or nil if all can.
  package var unsendable: String? {
    let entry = entries.first { entry in
      !RequestText.isCredential(entry.user ?? "") || !RequestText.isCredential(entry.password ?? "")
    }
    return entry.map { $0.host ?? "default" }
  }

  /// True if there are no entries.
  public var isEmpty: Bool { entries.isEmpty }
}

/// The words of a netrc file, in order.
private struct Words {
  private var rest: Substring.UTF8View
  private var isAtLineStart = true
  private(set) var hasOpenQuote = false

  init(_ text: String) { rest = text[...].utf8 }

  mutating func next() -> String? {
    while let byte = rest.first {
      switch byte {
      case 0x0A:
        isAtLineStart = true
        rest.removeFirst()
      case 0...0x20: rest.removeFirst()
      case UInt8(ascii: "#") where isAtLineStart: rest = rest.drop { $0 != 0x0A }
      case UInt8(ascii: "\""):
        isAtLineStart = false
        rest.removeFirst()
        return quoted()
      default:
        isAtLineStart = false
        let word = rest.prefix { $0 > 0x20 }
        rest = rest.dropFirst(word.count)
        return String(Substring(word))
      }
    }
    return nil
  }

  private mutating func quoted() -> String {
    var bytes: [UInt8] = []
    hasOpenQuote = true
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") {
        hasOpenQuote = false
        break
      }
      guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "t"): bytes.append(0x09)
      default: bytes.append(escaped)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Skips a macro, which extends to the next empty line.
  mutating func skipMacro() {
    var isLineEmpty = false
    while let byte = rest.popFirst() {
      if byte == 0x0A {
        if isLineEmpty { break }
        isLineEmpty = true
      } else if byte != 0x0D {
        isLineEmpty = false
      }
    }
    isAtLineStart = true
  }
}
