/// Sends requests, one URL each, and reports the responses to its client.
///
/// It follows no redirects, retries nothing and judges nothing: a transfer is one request and its response. All calls
/// must be made on the client's thread (the network loop's; a test's with a fake). Calls inside the client's methods
/// take effect after these have returned.
package protocol Transport: AnyObject {
  /// Starts a transfer. Its end is always reported by ``TransportClient/transfer(_:didEnd:)``, unless it is cancelled.
  func start(_ request: TransferRequest)

  /// Aborts a transfer. Nothing more is reported about it, not even its end. Unknown ones are ignored.
  func cancel(_ id: TransferID)

  /// Aborts a transfer, delivers the received part of its body, and ends it with ``TransferEnd/stopped``.
  func stop(_ id: TransferID)

  /// Delivers the received part of the body at once, and each later piece as it comes. Unknown transfers are ignored.
  func deliverAtOnce(_ id: TransferID)

  /// True if requests should carry the addresses of their hosts. Other hosts are looked up by the transport, which
  /// cannot tell a name that does not exist from a passing failure.
  var needsAddresses: Bool { get }

  /// The state of a transfer, or nil if it is unknown, or the transfer is not under way.
  func reading(of id: TransferID) -> TransferReading?

  /// Resumes receiving after the data that caused back-pressure has drained.
  func resumeReceiving()

  /// Limits the bytes that are received a second from now on, with 0 for no limit.
  func limit(bytesPerSecond: Int64)

  /// True if the client gets reports about connections (``TransportClient/connection(_:openedBy:)``).
  var tellsConnections: Bool { get }

  /// True if the client gets each report of a request (``TransportClient/transferDidConnect(_:)``) before that goes
  /// out, and not with its answer.
  var tellsRequests: Bool { get }
}

/// The state of a transfer at one moment.
package struct TransferReading: Hashable, Sendable {
  /// The bytes of its body so far, or nil if no answer has begun, but for one interim response.
  package var received: Int64?
  /// False if a head has come in part.
  package var hasHead = true
  /// The number of times that the transfer was not read because this side held it up.
  package var holdUps = 0
  /// True if the transfer is held up now.
  package var isHeld = false
}

extension Transport {
  package func deliverAtOnce(_ id: TransferID) {}
  package func limit(bytesPerSecond: Int64) {}
  package func reading(of id: TransferID) -> TransferReading? { nil }
  package var needsAddresses: Bool { false }
  package var tellsConnections: Bool { false }
  package var tellsRequests: Bool { false }
}

/// The User-Agent that is sent by default.
enum UserAgent {
  /// The text of the User-Agent.
  ///
  /// - Parameter contact: the operator's address, which becomes a comment (RFC 9110 §5.6.5), in which parentheses and
  ///   backslashes are escaped.
  static func text(contact: String?) -> String {
    let product = "\(ImgfetchVersion.productToken)/\(ImgfetchVersion.number)"
    guard let contact, !contact.isEmpty else { return product }
    var comment = ""
    for scalar in contact.unicodeScalars {
      if scalar == "(" || scalar == ")" || scalar == "\\" { comment.unicodeScalars.append("\\") }
      comment.unicodeScalars.append(scalar)
    }
    return "\(product) (\(comment))"
  }
}
