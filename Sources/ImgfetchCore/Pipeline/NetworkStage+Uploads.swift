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
    /// Keeps the file open until the last byte has been sent.
    let upload: Upload
    var status: Int?
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
    let transfer = nextTransfer()
    puts[transfer.number] = Put(upload: upload)
    var request = TransferRequest(
      id: transfer, url: url.requestURL,
      fields: [("User-Agent", configuration.userAgent), ("Content-Type", "application/octet-stream")],
      connectTimeout: .seconds(remote.settings.connectTimeout), stallTimeout: configuration.stallTimeout)
    if let account = url.account { request.fields += account.fields(method: "PUT", url, at: clock.wallTime()) }
    request.credentials = url.user.map { Credentials(user: $0, password: url.password ?? "") }
    request.upload = upload
    transport.start(request)
  }

  /// The transfer of an upload has ended. False: it was none.
  func endPut(_ id: TransferID, _ end: TransferEnd) -> Bool {
    guard let put = puts.removeValue(forKey: id.number) else { return false }
    switch end {
    case .complete, .stopped: putEnded(put.status.map { RemoteHealth.Outcome(statusOfPut: $0) })
    case .failed(let failure): putEnded(RemoteHealth.Outcome(FetchError(failure, "")))
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
