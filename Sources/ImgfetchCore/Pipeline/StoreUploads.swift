/// Puts entries into the remote cache. They take no place of a download, because nothing waits for them.
///
/// Belongs to the network's thread. Which entries are still to be put there is kept by ``RemoteCache``.
final class StoreUploads {
  /// An entry that is being put there.
  private struct Put {
    let entry: UploadQueue.Entry
    let url: WebURL
    /// Keeps the file open until the last byte has been sent.
    let upload: Upload
    var status: Int?
    /// Folders that are made before the entry is sent; nil: the store has not yet said that there is none.
    var folders: [WebURL]?
  }

  private let remote: RemoteCache
  private let configuration: PipelineConfiguration
  private let transport: any Transport
  private let clock: any Clock
  private let log: FlightLog
  private let numbers: TransferNumbers
  /// A disk thread is to open an entry. ``put(_:for:)`` follows.
  private let openEntry: @Sendable (UploadQueue.Entry) -> Void
  /// Those whose request is out, by the number of their transfer.
  private var puts: [UInt64: Put] = [:]
  /// Folders that were made in this run, where the store makes none by itself.
  private var madeFolders: Set<String> = []

  init(
    _ remote: RemoteCache, _ configuration: PipelineConfiguration, _ transport: any Transport, clock: any Clock,
    log: FlightLog, numbers: TransferNumbers, openEntry: @escaping @Sendable (UploadQueue.Entry) -> Void
  ) {
    self.remote = remote
    self.configuration = configuration
    self.transport = transport
    self.clock = clock
    self.log = log
    self.numbers = numbers
    self.openEntry = openEntry
  }

  /// Begins with those that wait, as many as may be on their way at once.
  func begin() {
    while let entry = remote.nextUpload() { openEntry(entry) }
  }

  /// A disk thread has opened an entry; nil: there is none any more.
  func put(_ upload: Upload?, for entry: UploadQueue.Entry) {
    guard let upload, let url = remote.objectURL(of: entry.key) else { return ended(nil) }
    send(Put(entry: entry, url: url, upload: upload))
  }

  /// Sends the entry, or makes the next of the folders that it needs.
  private func send(_ put: Put) {
    let (folder, transfer) = (put.folders?.first, numbers.next())
    let url = folder ?? put.url
    puts[transfer.number] = put
    var request = TransferRequest(
      id: transfer, url: url.requestURL,
      fields: [("User-Agent", configuration.userAgent)],
      connectTimeout: .seconds(remote.settings.connectTimeout), stallTimeout: configuration.stallTimeout)
    if folder == nil {
      request.fields.append(("Content-Type", "application/octet-stream"))
      request.upload = put.upload
    } else {
      request.method = "MKCOL"
    }
    if let account = url.account {
      request.fields += account.fields(method: "PUT", url, hasBody: true, at: clock.wallTime())
    }
    request.credentials = url.user.map { Credentials(user: $0, password: url.password ?? "") }
    configuration.stores.identify(&request, to: url)
    log.emitHeaders(of: url) { HeaderTrace.lines(of: request, to: url) }
    transport.start(request)
  }

  /// The head of an answer; nil: it is to no upload.
  func take(_ id: TransferID, _ head: ResponseHead) -> HeadDecision? {
    guard let put = puts[id.number] else { return nil }
    log.emitHeaders(of: put.folders?.first ?? put.url) { HeaderTrace.lines(of: head) }
    puts[id.number]?.status = head.status
    return .discard
  }

  /// The transfer of an upload has ended. The answer is whether an entry that the store lacked is the first there; nil: that is not known.
  func end(_ id: TransferID, _ end: TransferEnd) -> Bool? {
    guard var put = puts.removeValue(forKey: id.number) else { return nil }
    if case .failed(let failure) = end {
      ended(RemoteHealth.Outcome(FetchError(failure, "")))
    } else if put.folders?.isEmpty == false {
      // Whatever was answered: another process may have made it meanwhile. The PUT that follows tells.
      if let made = put.folders?.removeFirst() { madeFolders.insert(made.requestURL) }
      put.status = nil
      send(put)
    } else if let status = put.status, RemoteRule.lacksFolder(status), put.folders == nil,
      put.url.account == nil
    {
      put.folders = remote.folders(of: put.entry.key).filter { !madeFolders.contains($0.requestURL) }
      put.status = nil
      send(put)
    } else {
      ended(put.status.map { RemoteHealth.Outcome(statusOfPut: $0) })
      return put.entry.isMissing ? put.status.flatMap(RemoteRule.isFirst) : nil
    }
    return nil
  }

  /// Gives up what is on its way.
  func drop() {
    remote.dropUploads()
    for number in Array(puts.keys) {
      transport.cancel(TransferID(number: number))
      puts[number] = nil
      remote.uploadEnded(nil)
    }
  }

  private func ended(_ outcome: RemoteHealth.Outcome?) {
    remote.uploadEnded(outcome)
    begin()
  }
}
