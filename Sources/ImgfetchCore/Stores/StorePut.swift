/// Puts an entry into the remote cache. A store that makes no folders by itself gets them first. A pure value.
struct StorePut: PlaceConversation {
  let entry: UploadQueue.Entry
  private let url: WebURL
  private let length: Int64
  private let connectTimeout: Instant.Span
  /// The folders that the entry is in and that were not made in this run, the outermost first.
  private let folders: [WebURL]
  /// The folders that are still to be made, or nil if the store has not said that one is missing.
  private var foldersLeft: ArraySlice<WebURL>?
  /// The answer to the entry itself.
  private var status: Int?
  /// The outcome that this tells of the store, or nil if it tells nothing.
  private(set) var outcome: RemoteHealth.Outcome?

  init(_ entry: UploadQueue.Entry, at url: WebURL, in folders: [WebURL], length: Int64, connectTimeout: Instant.Span) {
    self.entry = entry
    self.url = url
    self.folders = folders
    self.length = length
    self.connectTimeout = connectTimeout
  }

  /// The folders that were made for it.
  var madeFolders: [WebURL] { foldersLeft.map { folders.dropLast($0.count) } ?? [] }

  /// True if an entry that the store lacked is the first there, or nil if that is not known.
  var isFirst: Bool? { entry.isMissing ? status.flatMap(RemoteRule.isFirst) : nil }

  mutating func begin() -> PlaceStep { .send(request) }

  mutating func handle(_ reply: PlaceReply, random: Double, now: WallTime) -> PlaceStep {
    switch reply {
    case .failed(let error):
      outcome = RemoteHealth.Outcome(error)
      return .done
    // Whatever it says: another process may have made the folder meanwhile. The PUT that follows tells.
    case .answered where foldersLeft?.popFirst() != nil: return .send(request)
    case .answered(let answer) where foldersLeft == nil && RemoteRule.lacksFolder(answer.status) && url.account == nil:
      foldersLeft = folders[...]
      return .send(request)
    case .answered(let answer):
      status = answer.status
      outcome = RemoteHealth.Outcome(statusOfPut: answer.status)
      return .done
    }
  }

  private var request: PlaceRequest {
    var request = PlaceRequest(url: foldersLeft?.first ?? url)
    request.connectTimeout = connectTimeout
    if foldersLeft?.isEmpty == false {
      request.method = "MKCOL"
    } else {
      request.method = "PUT"
      request.fields = [("Content-Type", "application/octet-stream")]
      request.body = .file(from: 0, count: length)
    }
    return request
  }
}
