/// The sockets of connections that carry several transfers at once, so that requests which begin together leave together.
///
/// libcurl sends each request of such a connection by itself: a segment, a wake-up of the server and often a change of threads each.
/// Held back until all are written they leave as one. Measured, 2,200 pictures over HTTP/2 on two cores that the server shares: 6 at
/// once 1.36 times curl's time without it and 0.98 with, 32 at once 1.34 and 1.07, and a seventh less processor time.
///
/// A pure value; the ``LoopCore`` holds it, and hears from libcurl when a socket is closed: its number may be another's at once.
struct SharedConnections {
  private var sockets: [Int32] = []

  /// A transfer that shared its connection has ended, and left it open.
  mutating func note(_ socket: Int32) {
    if !has(socket) { sockets.append(socket) }
  }

  /// It is closed.
  mutating func forget(_ socket: Int32) { sockets.removeAll { $0 == socket } }

  func has(_ socket: Int32) -> Bool { sockets.contains(socket) }

  /// Where so many requests that begin now are to be held back, until all are written. Fewer than there are connections would
  /// mostly leave alone, and each socket costs two calls.
  func bundles(requests: Int) -> [Int32] { requests > sockets.count ? sockets : [] }
}
