/// What happens to requests and flights while they are under way: for progress displays and for the curious.
///
/// Events of one flight come in order; those of several flights come on several threads.
public enum FetchEvent: Sendable {
  /// A download begins (again, if it is not the first attempt).
  case started(flight: UInt64, url: String, attempt: Int)
  /// An answer's head is here. `total` is nil where the server does not say.
  case responded(flight: UInt64, status: Int, total: Int64?, already: Int64)
  /// So many bytes of the body so far.
  case progressed(flight: UInt64, received: Int64)
  /// It is followed to another URL.
  case redirected(flight: UInt64, to: String)
  /// It is asked again after a while.
  case retrying(flight: UInt64, reason: String, milliseconds: Int)
  /// It has ended, one way or the other.
  case ended(flight: UInt64)
  /// Why a cache decision fell as it did, in one line.
  case explained(url: String, String)
  /// A request's or an answer's header fields, secrets masked: lines that begin with `> ` or `< `. Only where
  /// ``FetchHooks/tellsHeaders`` asks for them.
  case headers(url: String, lines: [String])
  /// What went well only in part.
  case warned(String)
}
