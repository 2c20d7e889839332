// The transport's reports about connections, which ``OriginConnections`` and ``ConnectionBook`` keep for ``Admission``.
extension NetworkStage {
  func connection(_ number: Int32, openedBy id: TransferID) {
    connections.opened(number, by: id.number, to: transfers[id.number]?.machine.trail.url.origin)
  }

  func transferDidConnect(_ id: TransferID) {
    guard let download = transfers[id.number] else { return }
    let now = clock.now()
    if let (origin, count) = connections.connected(id.number) {
      admission.opened(count, to: origin, in: now - download.sent, startedAt: download.sent)
    }
    download.sent = now
    // A challenge has the same flight send another one.
    guard !download.isSent else { return }
    download.isSent = true
    admission.wentOut(to: download.machine.trail.url.origin)
  }

  func connectionClosed(_ number: Int32) {
    if let origin = connections.closed(number) { admission.closed(to: origin) }
  }

  func keepsConnection(of id: TransferID) -> Bool {
    let keeping = ConnectionKeeping(most: configuration.idleConnections)
    if keeping.keeps(open: connections.count, hasAhead: false) { return true }
    guard let origin = transfers[id.number]?.machine.trail.url.origin else { return true }
    return keeping.keeps(
      open: connections.count, hasAhead: admission.hasWaiting(for: origin) || pipeline.hasAhead(origin))
  }
}
