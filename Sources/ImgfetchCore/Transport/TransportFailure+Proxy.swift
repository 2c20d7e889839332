import CCurlShim

// What a proxy between is to blame for: the user would look for the fault at the server else.
extension TransportFailure {
  /// Nil where it was not the proxy that failed, or that cannot be told.
  static func proxyFailure(_ facts: Circumstances) -> TransportFailure? {
    func failure(_ kind: Kind, _ reason: String, isTransient: Bool) -> TransportFailure {
      TransportFailure(
        kind, reason, receivedAnything: facts.receivedAnything, isTransient: isTransient, cause: .proxy)
    }
    let name = facts.proxy.map { "the proxy \($0)" } ?? "the proxy"
    switch facts.code {
    case CURLE_COULDNT_RESOLVE_PROXY:
      return failure(.name, "the host name of \(name) could not be resolved", isTransient: false)
    case CURLE_COULDNT_CONNECT:
      // libcurl says whom it tried, and that is the server where its host is an exception.
      guard facts.refusal == nil, let proxy = facts.proxy, isAbout(proxy, facts.text) else { return nil }
      let reason = facts.systemError.map { lowered($0.description) } ?? "no connection could be made"
      return failure(.connect, "\(name) cannot be reached: \(reason)", isTransient: true)
    case CURLE_PROXY: return failure(.connect, "\(name) failed: \(words(facts))", isTransient: true)
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING:
      let isRefusal = facts.text.hasPrefix("CONNECT tunnel failed") || facts.text.hasPrefix("Received HTTP code")
      guard !facts.hasHead, isRefusal else { return nil }
      return failure(.connect, "\(name) refused: \(words(facts))", isTransient: false)
    default: return nil
    }
  }
}

extension TransportFailure {
  /// Whether libcurl's words ("Failed to connect to HOST port PORT after …") name the proxy.
  private static func isAbout(_ proxy: ProxyAddress, _ text: String) -> Bool {
    let name = " \(proxy.host) port \(proxy.port)"
    return text.holds(name + " ") || text.holds(name + ":")
  }
}

/// Where a proxy is: what of its URL may be shown.
struct ProxyAddress: Equatable, CustomStringConvertible {
  let host: String
  let port: Int

  var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// From a proxy's URL as libcurl reads it: the scheme may be missing, and so may the port.
  init?(_ url: String) {
    let parts = url.split(separator: "/", omittingEmptySubsequences: false)
    let hasScheme = parts.count > 2 && parts[0].hasSuffix(":") && parts[1].isEmpty
    guard let authority = hasScheme ? parts[2] : parts.first, !authority.isEmpty else { return nil }
    let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    var host = place
    // libcurl's own: 443 for a proxy that is spoken to over TLS, 1080 for any other.
    var port = hasScheme && parts[0].lowercased() == "https:" ? 443 : 1080
    if let colon = place.lastIndex(of: ":"), let number = Int(place[place.index(after: colon)...]),
      place.first != "[" || place[..<colon].last == "]"
    {
      host = place[..<colon]
      port = number
    }
    if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
    self.host = String(host)
    self.port = port
  }
}
