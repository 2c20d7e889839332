/// A pattern of `--allow-host` and `--deny-host`: a glob for hosts, with an optional port.
///
/// `*` matches any characters including dots, `?` matches one character, and case is ignored. `*.example.org` matches
/// every host below `example.org` but not that one. A name outside ASCII may be written in Unicode. An IPv6 address is
/// written in brackets. An address matches in all its spellings, as pattern and as host.
package struct HostPattern: Hashable, Sendable {
  private let host: Glob
  /// The pattern's address, or nil for a glob or a name.
  private let address: IPAddress?
  private let port: UInt16?

  /// Nil if there is no host, if no URL could name the host, or if the port is invalid. An IPv6 address may also be
  /// written without brackets, as it is in messages.
  package init?(_ text: String) {
    if text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || ",/\\@|".utf8.contains($0) }) { return nil }
    let isBareAddress = !text.hasPrefix("[") && text.utf8.count(where: { $0 == UInt8(ascii: ":") }) > 1
    let text = isBareAddress ? "[\(text)]" : text
    var host = text[...]
    var port: UInt16?
    let opens = text.hasPrefix("[")
    let colon = opens ? text.lastIndex(of: "]").map(text.index(after:)) : text.lastIndex(of: ":")
    if let colon, colon < text.endIndex {
      guard text[colon] == ":", let number = UInt16(text[text.index(after: colon)...]), number > 0 else { return nil }
      port = number
      host = text[..<colon]
    }
    if opens {
      guard host.hasSuffix("]") else { return nil }
      host = host.dropFirst().dropLast()
      if let address = IPAddress(host: String(host)) { host = address.description[...] }
      if let zone = host.utf8.firstIndex(of: PercentCoding.percent) { host = host[..<zone] }
    }
    if host.utf8.last == UInt8(ascii: ".") { host = Substring(host.utf8.dropLast()) }
    guard !host.isEmpty, opens || !host.contains(":") else { return nil }
    var labels: [String] = []
    for label in host.split(separator: ".", omittingEmptySubsequences: false).map(String.init) {
      // `.example.org` names no host: in other programs' lists it stands for all hosts below that one.
      guard !label.isEmpty else { return nil }
      guard !label.utf8.allSatisfy({ $0 < 0x80 }) else {
        labels.append(label)
        continue
      }
      // Without the library the pattern would match nothing, and a rule that denies would allow.
      do throws(InternationalName.LibraryMissing) { labels.append(try InternationalName.ascii(label) ?? label) } catch {
        return nil
      }
    }
    let name = labels.joined(separator: ".")
    self.host = Glob(name.utf8.map(URLHost.lower), hasSingle: true)
    address = IPAddress(host: name)?.unwrapped
    self.port = port
  }

  /// True if the pattern matches `origin`. An address is matched as typed and in its usual form, and one that spells an
  /// IPv4 address as that, so that a rule for `127.*` applies to `2130706433` and `[::ffff:127.0.0.1]` too. A dot at
  /// the end of a name is ignored, in the pattern as well.
  package func matches(_ origin: Origin) -> Bool {
    if let port, port != origin.port { return false }
    var name = [UInt8](origin.host.utf8)
    if name.last == UInt8(ascii: ".") { name.removeLast() }
    if host.matches(name[...]) { return true }
    guard let given = IPAddress(host: origin.host) else { return false }
    if host.matches([UInt8](given.description.utf8)[...]) { return true }
    let plain = given.unwrapped
    return plain == address || (plain != given && host.matches([UInt8](plain.description.utf8)[...]))
  }
}
