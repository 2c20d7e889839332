/// Puts an entry into the remote cache. If the store makes no folders by itself, they are made first. A pure value.
struct StorePut: PlaceConversation {
  private let url: WebURL
  private let length: Int64
  private let connectTimeout: Instant.Span
  /// The folders that the entry is in and that were not made in this run.
  private var folders: MissingFolders
  /// The outcome for the store's health, or nil if there is none.
  private(set) var outcome: RemoteHealth.Outcome?

  init(at url: WebURL, in folders: [WebURL], length: Int64, connectTimeout: Instant.Span) {
    self.url = url
    self.folders = MissingFolders(folders)
    self.length = length
    self.connectTimeout = connectTimeout
  }

  var madeFolders: [WebURL] { folders.made }

  mutating func begin() -> PlaceStep { .send(request) }

  mutating func handle(_ reply: PlaceReply, random: Double, now: WallTime) -> PlaceStep {
    switch reply {
    case .failed(let error):
      outcome = RemoteHealth.Outcome(ofPut: error)
      return .done
    case .answered where folders.request != nil:
      folders.noteAnswer()
      return .send(request)
    case .answered(let answer) where url.account == nil && folders.begin(after: answer.status): return .send(request)
    case .answered(let answer):
      outcome = RemoteHealth.Outcome(statusOfPut: answer.status)
      return .done
    }
  }

  private var request: PlaceRequest {
    var request =
      folders.request
      ?? PlaceRequest(
        method: "PUT", url: url, fields: [("Content-Type", "application/octet-stream")],
        body: .file(from: 0, count: length))
    request.connectTimeout = connectTimeout
    return request
  }
}
