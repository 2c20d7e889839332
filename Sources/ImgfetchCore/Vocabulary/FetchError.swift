/// Why an image could not be had.
///
/// The set of kinds is closed. Each error says in one sentence what happened, to which URL or file, and what can be done.
public struct FetchError: Error, Hashable, Sendable {
  /// The kinds, by the names that reports use.
  public enum Kind: String, CaseIterable, Sendable {
    /// The host's name could not be resolved.
    case name
    /// No connection, or it was lost before an answer began.
    case connect
    /// The secure connection failed.
    case tls
    /// Nothing came for too long.
    case timeout
    /// The answer was broken off.
    case truncated
    /// A status that is not accepted.
    case http
    /// The body is something else than an image, or one of a format that is not supported.
    case notImage = "not-image"
    /// An image, but a damaged or incomplete one.
    case damaged
    /// Larger than is allowed, or not what a filter asks for.
    case limit
    /// Not the bytes whose checksum was given.
    case checksum
    /// Not in the cache, and the network was not to be asked.
    case offline
    /// A file could not be read or written here.
    case file
    /// Refused by a rule: scheme, host, address, redirect; or it is no URL at all.
    case refused
    /// Broken off from this side.
    case cancelled
  }

  /// What would help, where that is known and the user's to do. A program says by which of its options.
  public enum Remedy: Hashable, Sendable {
    /// To trust the authority that signed the server's certificate.
    case trustAuthority
    /// To name certificates that can be read.
    case nameAuthorities
    /// To ask without TLS, which is not spoken there.
    case askWithoutTLS
    /// To go through another proxy, or none.
    case changeProxy
    /// To allow larger bodies.
    case allowMoreBytes
    /// To allow images of more pixels.
    case allowMorePixels
    /// To follow more redirects.
    case allowMoreRedirects
    /// To ask again for what failed earlier in this run.
    case askAgain
    /// To decode without a sandbox.
    case decodeUnprotected
  }

  /// What kind of failure it is.
  public let kind: Kind
  /// The URL (without secrets) or file that it happened to.
  public let subject: String
  /// What happened, as a clause that can follow the subject and a colon.
  public let reason: String
  /// Whether the same request may well succeed later.
  public let isTransient: Bool
  /// The HTTP status, where one was received.
  public let status: Int?
  /// What would help.
  public let remedy: Remedy?

  /// An error of this kind.
  public init(
    _ kind: Kind, _ subject: String, _ reason: String, isTransient: Bool = false, status: Int? = nil,
    remedy: Remedy? = nil
  ) {
    self.kind = kind
    self.subject = subject
    self.reason = reason
    self.isTransient = isTransient
    self.status = status
    self.remedy = remedy
  }

  /// The whole sentence: subject, colon, reason.
  public var message: String { "\(subject): \(reason)" }

  /// The same failure of an answer that had this status.
  package func answered(_ status: Int?) -> FetchError {
    FetchError(kind, subject, reason, isTransient: isTransient, status: self.status ?? status, remedy: remedy)
  }

  /// The same failure, as it is told to somebody who asked for another URL.
  package func told(to subject: String) -> FetchError {
    FetchError(kind, subject, reason, isTransient: isTransient, status: status, remedy: remedy)
  }
}

extension InspectionFailure {
  /// What the failure is called in reports, said of the URL or file that the bytes came from.
  package func fetchError(of subject: String) -> FetchError {
    let kind: FetchError.Kind =
      switch self {
      case .notImage, .unsupported: .notImage
      case .truncated, .damaged, .noPixels: .damaged
      case .tooManyPixels: .limit
      }
    return FetchError(kind, subject, description)
  }
}

extension FetchError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
