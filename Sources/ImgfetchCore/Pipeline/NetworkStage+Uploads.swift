// What the network stage knows of the remote cache: whether it is still asked, and the entries on their way into it. Those take no
// place of a download, because nothing waits for them.
extension NetworkStage {
  /// A request to the store has failed.
  ///
  /// This is noted here and not when the flight is answered, on another thread: the next request to a store that is of no use would be
  /// out by then.
  func noteStore(_ error: FetchError) {
    guard let remote, let outcome = RemoteHealth.Outcome(error), case .unusable = outcome, !remote.noteReading(outcome)
    else { return }
    hasLostStore = true
    // Later, since transfers cannot be dropped from within a callback of one.
    timers.add(.leaveStore, at: clock.now())
  }

  /// The remote cache is given up: what waits for it goes on to the origin.
  func leaveStore() {
    hasLostStore = true
    for (id, download) in downloads where download.flight.options.patience != nil { cancel(id) }
  }

  /// An entry that is being put there.
  struct Put {
    let key: CacheKey
    let url: WebURL
    /// Keeps the file open until the last byte has been sent.
    let upload: Upload
    var status: Int?
    /// Folders that are made before the entry is sent; nil: the store has not yet said that there is none.
    var folders: [WebURL]?
  }

  /// Begins with those that wait, as many as may be on their way at once.
  func sendUploads() {
    guard let remote else { return }
    while let key = remote.nextUpload() { exits.openEntry(key) }
  }

  /// A disk thread has opened an entry; nil: there is none any more.
  func put(_ upload: Upload?, for key: CacheKey) {
    guard let remote else { return }
    guard let upload, let url = remote.objectURL(of: key) else { return putEnded(nil) }
    send(Put(key: key, url: url, upload: upload))
  }

  /// Sends the entry, or makes the next of the folders that it needs.
  private func send(_ put: Put) {
    guard let remote else { return }
    let (folder, transfer) = (put.folders?.first, nextTransfer())
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
    transport.start(request)
  }

  /// The transfer of an upload has ended. False: it was none.
  func endPut(_ id: TransferID, _ end: TransferEnd) -> Bool {
    guard var put = puts.removeValue(forKey: id.number) else { return false }
    if case .failed(let failure) = end {
      putEnded(RemoteHealth.Outcome(FetchError(failure, "")))
    } else if put.folders?.isEmpty == false {
      // Whatever was answered: another process may have made it meanwhile. The PUT that follows tells.
      if let made = put.folders?.removeFirst() { storeFolders.insert(made.requestURL) }
      put.status = nil
      send(put)
    } else if let remote, let status = put.status, RemoteRule.lacksFolder(status), put.folders == nil,
      put.url.account == nil
    {
      put.folders = remote.folders(of: put.key).filter { !storeFolders.contains($0.requestURL) }
      put.status = nil
      send(put)
    } else {
      putEnded(put.status.map { RemoteHealth.Outcome(statusOfPut: $0) })
    }
    return true
  }

  /// Gives up what is on its way.
  func dropPuts() {
    remote?.dropUploads()
    for number in Array(puts.keys) {
      transport.cancel(TransferID(number: number))
      puts[number] = nil
      remote?.uploadEnded(nil)
    }
  }

  private func putEnded(_ outcome: RemoteHealth.Outcome?) {
    remote?.uploadEnded(outcome)
    sendUploads()
  }
}
