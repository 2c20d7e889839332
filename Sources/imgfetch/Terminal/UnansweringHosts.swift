import ImgfetchCore

/// The hosts that did not answer, and how many images were given up with each. A pure value.
///
/// A thousand images of a dead host are a thousand rows, and one message.
struct UnansweringHosts: Hashable, Sendable {
  private var counts: [String: Int] = [:]
  /// In the order in which they were given up.
  private var hosts: [String] = []
  private var images = 0

  /// Counts a failed image. The answer is what to tell, if it is the first that is given up with its host.
  @discardableResult
  mutating func add(_ error: FetchError) -> String? {
    guard error.remedy == .askLater else { return nil }
    let host = Self.host(of: error)
    counts[host, default: 0] += 1
    images += 1
    guard counts[host] == 1 else { return nil }
    hosts.append(host)
    return "\(error.reason): its images are given up"
  }

  var isEmpty: Bool { hosts.isEmpty }

  /// `991 given up with 1 host`.
  var count: String { "\(Amount.grouped(images)) given up with \(Amount.count(hosts.count, "host"))" }

  /// `991 given up with a.example`, `1,200 given up with 5 hosts: a.example, b.example, c.example and others`.
  var sentence: String {
    if hosts.count == 1 { return "\(Amount.grouped(images)) given up with \(hosts[0])" }
    let names = hosts.prefix(Self.mostNamed).joined(separator: ", ")
    let rest = hosts.count > Self.mostNamed ? " and others" : ""
    return "\(count): \(names)\(rest)"
  }

  /// Without secrets, since the subject of an error has none.
  private static func host(of error: FetchError) -> String {
    do throws(URLFailure) { return try WebURL(error.subject).origin.hostAndPort } catch { return "?" }
  }

  /// A sentence of more names is a list that nobody reads.
  private static let mostNamed = 3
}
