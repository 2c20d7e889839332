/// An event in the course of requests and downloads, for progress displays and logs.
///
/// The events of one flight (a download) are in order. Events of different flights may arrive on different threads.
public enum FetchEvent: Sendable {
  /// A download begins, or begins again if this is not the first attempt.
  case started(flight: UInt64, url: String, attempt: Int)
  /// The head of an answer has arrived. `total` is the body's length, or nil if the server does not send it; `already`
  /// is how much of it an earlier attempt has left.
  case responded(flight: UInt64, status: Int, total: Int64?, already: Int64)
  /// The number of body bytes received so far; `total` is the whole body's, or nil if the server does not send it. It
  /// comes with the head of each answer that is taken, and as bytes come.
  case progressed(flight: UInt64, url: String, received: Int64, total: Int64?)
  /// The answer is a redirect to another URL.
  case redirected(flight: UInt64, to: String)
  /// The download failed and is tried again after some time.
  case retrying(flight: UInt64, reason: String, milliseconds: Int)
  /// The download has ended, with or without success.
  case ended(flight: UInt64)
  /// The reason for a decision about a cached answer, in one line.
  case explained(url: String, String)
  /// The header fields of a request or an answer with secrets masked, as lines that begin with `> ` or `< `. Sent only
  /// if ``FetchHooks/tellsHeaders`` asks for them.
  case headers(url: String, lines: [String])
}
