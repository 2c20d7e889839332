/// The failure of a request for an image.
///
/// The set of kinds is closed. Each error says in one sentence what happened, to which URL or
/// file, and what can be done.
public struct FetchError: Error, Hashable, Sendable {
  /// The kinds, by the names that reports use.
  public enum Kind: String, CaseIterable, Sendable {
    /// The host's name could not be resolved.
    case name
    /// There was no connection, or it was lost before the answer began.
    case connect
    /// The secure connection failed.
    case tls
    /// No data arrived for too long.
    case timeout
    /// The answer ended early.
    case truncated
    /// The status is not accepted.
    case http
    /// The body is not an image, or the image's format is not supported.
    case notImage = "not-image"
    /// The image is damaged or incomplete.
    case damaged
    /// The image is larger than allowed, or does not pass a filter.
    case limit
    /// The bytes do not match the given checksum.
    case checksum
    /// The image is not in the cache, and the network may not be used.
    case offline
    /// A local file could not be read or written.
    case file
    /// A rule refuses it (scheme, host, address, redirect), or the text is not a URL.
    case refused
    /// The request was cancelled on this side.
    case cancelled
  }

  /// The user's remedy for a failure, if one is known. A program adds which of its options provides it.
  public enum Remedy: Hashable, Sendable {
    /// Trust the authority that signed the server's certificate.
    case trustAuthority
    /// Name a certificate file that can be read.
    case nameAuthorities
    /// Use http: the server does not speak TLS.
    case askWithoutTLS
    /// Show a client's certificate.
    case showCertificate
    /// Use another proxy, or none.
    case changeProxy
    /// Allow larger bodies.
    case allowMoreBytes
    /// Allow images with more pixels.
    case allowMorePixels
    /// Follow more redirects.
    case allowMoreRedirects
    /// Follow redirects from https to http.
    case allowDowngrade
    /// Allow the whole request more time.
    case allowMoreTime
    /// Decode the image on a machine that is faster, or has less to do.
    case decodeElsewhere
    /// Retry what failed earlier in this run.
    case askAgain
    /// Decode without a sandbox.
    case decodeUnprotected
    /// Ask later: the host does not answer. All its images fail with the same reason.
    case askLater
    /// Connect this machine to a network: no name server can be reached, so no host's name can be looked up.
    case reachNameServer
    /// Install a library that this machine lacks. The reason names it.
    case installLibrary
    /// Give it more memory: this machine has less than the image may take under the options.
    case addMemory
  }

  /// The kind of failure.
  public var kind: Kind { parts.values.kind }
  /// The URL (without secrets) or the file that it is about.
  public var subject: String { parts.values.subject }
  /// The event, as a clause that can follow the subject and a colon.
  public var reason: String { parts.values.reason }
  /// True if the same request may succeed later.
  public var isTransient: Bool { parts.values.isTransient }
  /// The HTTP status, if one was received.
  public var status: Int? { parts.values.status }
  /// The user's remedy, if one is known.
  public var remedy: Remedy? { parts.values.remedy }
  /// The number of the error that it comes from, if there is one.
  public var cause: Cause? { parts.values.cause }

  private struct Parts: Hashable, Sendable {
    let kind: Kind
    let subject: String
    let reason: String
    let isTransient: Bool
    let status: Int?
    let remedy: Remedy?
    let cause: Cause?
  }

  /// The contents, behind one reference: results pass through many hands, and most have no error.
  private let parts: CopiedOnWrite<Parts>

  /// Compares two errors by their contents.
  public static func == (left: FetchError, right: FetchError) -> Bool { left.parts.values == right.parts.values }

  /// Hashes everything that an error says.
  public func hash(into hasher: inout Hasher) { parts.values.hash(into: &hasher) }

  /// The number of the error behind a failure, as the system or libcurl defines it.
  public struct Cause: Hashable, Sendable {
    /// The system's error.
    public var errno: Errno?
    /// libcurl's code, a `CURLcode`.
    public var curl: Int32?

    /// A cause with these numbers.
    public init(errno: Errno? = nil, curl: Int32? = nil) {
      self.errno = errno
      self.curl = curl
    }
  }

  /// Creates an error of this kind.
  public init(
    _ kind: Kind, _ subject: String, _ reason: String, isTransient: Bool = false, status: Int? = nil,
    remedy: Remedy? = nil, cause: Cause? = nil
  ) {
    parts = CopiedOnWrite(
      Parts(
        kind: kind, subject: subject, reason: reason, isTransient: isTransient, status: status, remedy: remedy,
        cause: cause))
  }

  /// The whole sentence: subject, colon, reason.
  public var message: String { "\(subject): \(reason)" }

  /// True if a file could not be written because its disk is full.
  package var isOfFullDisk: Bool { kind == .file && (cause?.errno == .noSpace || cause?.errno == .overQuota) }

  /// True if it fails because this machine lacks something, so that another one would have got the image.
  package var isOfThisMachine: Bool {
    switch remedy {
    case .installLibrary, .addMemory, .decodeUnprotected, .nameAuthorities: true
    default: isOfFullDisk
    }
  }

  /// True if time ran out: another machine, or this one when it is less busy, may need less time for the answer or the
  /// pixels.
  package var isOfTime: Bool { kind == .timeout || remedy == .allowMoreTime || remedy == .decodeElsewhere }

  /// The same failure with the status of the answer that it is about.
  package func answered(_ status: Int?) -> FetchError {
    FetchError(
      kind, subject, reason, isTransient: isTransient, status: self.status ?? status, remedy: remedy, cause: cause)
  }

  /// The same failure with the server's own code for it.
  package func named(_ code: String) -> FetchError {
    FetchError(
      kind, subject, "\(reason) (\(code))", isTransient: isTransient, status: status, remedy: remedy, cause: cause)
  }

  /// The same failure, with the pause that the server has asked for.
  func asking(forPause pause: Instant.Span) -> FetchError {
    guard pause > .seconds(0) else { return self }
    // A longer pause is meaningless, and its number would be, too. A date is some fraction of a second away.
    let span = pause > .seconds(366 * 86_400) ? "more than a year" : "\((pause.milliseconds + 999) / 1000) s"
    return FetchError(
      kind, subject, "\(reason), and asks for a pause of \(span)", isTransient: isTransient, status: status,
      remedy: remedy, cause: cause)
  }

  /// The same failure, marked as transient.
  package var transient: FetchError {
    FetchError(kind, subject, reason, isTransient: true, status: status, remedy: remedy, cause: cause)
  }

  /// The same failure for a request with another URL. If a mirror or the target of a redirect failed, the reason names
  /// it.
  package func told(to subject: String, mirrors: [WebURL] = [], redirectedTo target: WebURL? = nil) -> FetchError {
    var reason = reason
    if mirrors.contains(where: { $0.display == self.subject }) {
      reason = "mirror \(message)"
    } else if let target, target.display == self.subject, isOfTheURL, remedy != .askLater {
      // The reason of a host that was given up is shared by all its images, and names the host.
      reason = "redirected to \(message)"
    }
    return FetchError(
      kind, subject, reason, isTransient: isTransient, status: status, remedy: remedy, cause: cause)
  }

  /// True if the URL that was asked last has failed: its host could not be reached, or did not give the image.
  var isOfTheURL: Bool { kind == .http || isOfTheOrigin }
}

extension InspectionFailure {
  /// The failure as an error about the URL or file that the bytes came from.
  package func fetchError(of subject: String) -> FetchError {
    let kind: FetchError.Kind =
      switch self {
      case .notImage, .unsupported: .notImage
      case .truncated, .damaged, .noPixels: .damaged
      case .tooManyPixels: .limit
      }
    return FetchError(kind, subject, description, remedy: kind == .limit ? .allowMorePixels : nil)
  }
}

extension URLFailure {
  /// The remedy, if one is known.
  package var remedy: FetchError.Remedy? {
    if case .noInternationalNames = self { .installLibrary } else { nil }
  }
}

extension FetchError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}

extension FetchError {
  /// True if the origin could not be reached, or could not answer. Then an old image is better than none.
  var isOfTheOrigin: Bool {
    switch kind {
    case .name, .connect, .tls, .timeout, .truncated: true
    case .http: (status ?? 0) >= 500
    default: false
    }
  }

  /// True if the received bytes are useless, and the rest of the body would be, too.
  var isOfTheBody: Bool {
    switch kind {
    case .notImage, .damaged, .limit, .checksum: true
    default: false
    }
  }

  /// True for a status of 400 to 499 that will not pass by itself: it is about the URL as it was requested.
  var isRefusedByServer: Bool { kind == .http && !isTransient && (400..<500).contains(status ?? 0) }

  static let cancelled = FetchError(.cancelled, "", "broken off")
  static let closed = FetchError(.cancelled, "", "not asked for, since the fetcher is closed")

  /// The error of a result with neither an error nor an image, which no request of this library's asks for.
  static func withoutImage(_ url: String) -> FetchError {
    FetchError(.cancelled, url, "there was an answer and no image")
  }
}
