import ImgfetchCore

/// The hosts that did not answer, and how many images were given up with each, or without a network. A pure value.
///
/// A thousand images of a dead host are a thousand rows, and one message.
struct UnansweringHosts: Hashable, Sendable {
  private var counts: [String: Int] = [:]
  /// The hosts in the order in which they were given up.
  private var hosts: [String] = []
  private var images = 0
  /// Images whose hosts could not be looked up, since no name server was reached.
  private var isolated = 0

  /// Counts a failed image. The answer is what to tell, if it is the first that is given up for its reason.
  ///
  /// - Parameter url: the URL that failed, or nil if it is the error's subject.
  @discardableResult
  mutating func add(_ error: FetchError, at url: String? = nil) -> String? {
    if error.remedy == .reachNameServer {
      isolated += 1
      return isolated == 1 ? error.message : nil
    }
    guard error.remedy == .askLater else { return nil }
    let host = Self.host(of: url ?? error.subject)
    counts[host, default: 0] += 1
    images += 1
    guard counts[host] == 1 else { return nil }
    hosts.append(host)
    return "\(error.reason): its images are given up"
  }

  /// True if an error is printed once for all its images, and not with each.
  static func tellsOnce(_ error: FetchError) -> Bool { error.remedy == .askLater || error.remedy == .reachNameServer }

  var isEmpty: Bool { hosts.isEmpty && isolated == 0 }

  /// `991 given up with 1 host`.
  var count: String { told { "\(Amount.grouped(images)) given up with \(Amount.count(hosts.count, "host"))" } }

  /// `991 given up with a.example`, `1,200 given up with 5 hosts: a.example, b.example, c.example and others`.
  var sentence: String {
    told {
      if hosts.count == 1 { return "\(Amount.grouped(images)) given up with \(hosts[0])" }
      let names = hosts.prefix(Self.mostNamed).joined(separator: ", ")
      let rest = hosts.count > Self.mostNamed ? " and others" : ""
      return "\(Amount.grouped(images)) given up with \(Amount.count(hosts.count, "host")): \(names)\(rest)"
    }
  }

  private func told(_ ofHosts: () -> String) -> String {
    let parts = [
      hosts.isEmpty ? nil : ofHosts(),
      isolated == 0 ? nil : "\(Amount.grouped(isolated)) given up without a name server",
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  /// The host of a URL, without secrets if the URL has none.
  private static func host(of url: String) -> String {
    if S3Account.isAddress(url) { return "s3://" + url.dropFirst(5).prefix { $0 != "/" } }
    do throws(URLFailure) { return try WebURL(url).origin.hostAndPort } catch { return "?" }
  }

  /// The most names: more would make the sentence too long to read.
  private static let mostNamed = 3
}
