import CCurlShim

/// One of the loop's places for a transfer: a libcurl handle, used again and again, and what is known of the transfer
/// that it carries now.
///
/// It belongs to the loop's thread. libcurl holds a pointer to it as the data of its callbacks, which it makes only from
/// calls that the loop makes; the loop keeps every place until it has cleaned the handle up.
@safe
final class CurlTransfer {
  /// How it was decided to end before libcurl says that it ended.
  enum Ending {
    case stopped
    /// The client stopped it and wants what has come.
    case stoppedByClient
    case cancelled
    /// The body was not wanted, and was too long to let go by.
    case discarded
    case failed(TransportFailure)
  }

  enum Plan { case undecided, receive, receiveShort, discard }

  /// How long a body may be that is not the image. As long as the pieces are that a body is handed over in: what is longer is not worth a
  /// kept connection.
  static let shortLimit = Int64(BodyCollector.pieceSize)
  /// What a peek shows at most: an image declares itself, and a page of HTML too, well within it.
  static let peekSize = 1024

  /// What is known of one transfer; each begins with a new one.
  struct State {
    var request: TransferRequest
    var deadlines: TransferDeadlines
    var ending: Ending?
    var plan = Plan.undecided
    var head = HeadReader()
    var isHeadTold = false
    /// A challenge that libcurl may still answer: told only if nothing better follows.
    var isHeadHeld = false
    var body = BodyCollector()
    var discarded: Int64 = 0
    var peeked = 0
    var isAwaitingPeek = false
    var isMultiplexed = false
    var isPaused = false
    var remoteAddress: IPAddress?
    /// Why our rule refused the address, or the system a socket: libcurl only says that it could not connect.
    var refusal: String?
    var socketError: Errno?

    init(_ request: TransferRequest, at now: Instant) {
      self.request = request
      deadlines = TransferDeadlines(request, at: now)
    }
  }

  let easy: UnsafeMutableRawPointer
  /// Where libcurl writes its words about a failure.
  let errorText: UnsafeMutablePointer<CChar>
  /// Its number, which libcurl gives back when the transfer has ended.
  let slot: Int
  /// Each holds the other until the loop is closed: a weaker reference would be looked up in every callback.
  let loop: LoopCore
  private(set) var isActive = false
  var state: State
  /// libcurl reads it as long as the handle is there; `deinit` cleans that up before the properties go.
  var url = CurlURL()
  // What the handle is set up with, and need not be set up with again.
  var requestLines: CurlList?
  var times: (pipeWait: Int, connect: Int)?
  var isConfigured = false
  var hasTrustStore = false
  var hasURL = false
  var carriedCredentials = false

  init?(slot: Int, loop: LoopCore, sessions: UnsafeMutableRawPointer?) {
    guard let easy = unsafe imgfetch_easy_init() else { return nil }
    unsafe self.easy = easy
    self.slot = slot
    self.loop = loop
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    state = State(TransferRequest(id: TransferID(number: 0), url: ""), at: loop.now)
    // Without a share the sessions are not shared, and that is all.
    if let sessions = unsafe sessions { _ = unsafe imgfetch_easy_set_pointer(easy, CURLOPT_SHARE, sessions) }
  }

  deinit {
    unsafe imgfetch_easy_cleanup(easy)
    unsafe errorText.deallocate()
  }

  var id: TransferID { state.request.id }

  /// Takes on a transfer.
  func begin(_ request: TransferRequest, at now: Instant) {
    state = State(request, at: now)
    isActive = true
    // Proof: the buffer has CURL_ERROR_SIZE bytes.
    unsafe errorText[0] = 0
  }

  /// The place is free for another.
  func end() { isActive = false }
}
