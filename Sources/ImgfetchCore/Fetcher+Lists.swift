// Many requests at once, with bounded read-ahead.
extension Fetcher {
  /// How far a list is read ahead for this fetcher.
  package func lookAhead(aside: Int) -> LookAheadLimits {
    let admission = pipeline.configuration.admission
    var limits = LookAheadLimits(aside: aside)
    limits.window = window
    limits.perHost = min(admission.perHost ?? Admission.Limits.politePerHost, admission.jobs)
    limits.isSerial = admission.jobs == 1
    limits.isNewestFirst = admission.isNewestFirst
    return limits
  }

  /// Submits all of `requests` and returns when all are answered. They are pulled as they can be processed, so ten
  /// million of them take no more memory than some thousands.
  ///
  /// If a host is slow, requests to other hosts overtake those to it.
  public func fetchAll(
    _ requests: some Sequence<FetchRequest>, deliver: @escaping @Sendable (FetchResult) -> Void
  ) {
    let ahead = Guarded(LookAhead(lookAhead(aside: Self.aside)))
    // The requests that were put aside, by the numbers in their notes.
    var aside: [UInt64: FetchRequest] = [:]
    var number: UInt64 = 0
    func send(_ request: FetchRequest, _ slot: Int) {
      submit(request) { result in
        deliver(result)
        if ahead.withLock({ $0.answered(slot, isAnswer: result.isAnswer) }) { ahead.broadcast() }
      }
    }
    func sendThoseDue() {
      while let next = ahead.withLock({ $0.next() }) {
        if let request = aside.removeValue(forKey: next.item.first) { send(request, next.slot) }
      }
    }
    func take(_ request: FetchRequest) {
      while true {
        switch ahead.withLock({ $0.offer(request.url.origin) }) {
        case .submit(let slot): return send(request, slot)
        case .putAside(let slot):
          number += 1
          aside[number] = request
          return ahead.withLock { [number] in $0.putAside(LookAhead.Note(number), at: slot, request.priority) }
        case .wait:
          let (mayReadOn, isReadingOn) = ahead.withLock { ($0.mayReadOn, $0.isReadingOn) }
          if isReadingOn {
            wait(untilOutstanding: max(0, outstanding - 1))
          } else if !mayReadOn {
            wait(untilOutstanding: window / 2)
          } else if !wait(untilOutstanding: window / 2, patience: Self.patience) {
            ahead.withLock { $0.readOn() }
          }
          sendThoseDue()
        }
      }
    }
    for request in requests {
      take(request)
      sendThoseDue()
    }
    while ahead.withLock({ $0.count > 0 }) {
      if ahead.withLock({ $0.noteSleep() }) {
        kick()
        _ = ahead.wait { $0.isAwake ? () : nil }
      }
      sendThoseDue()
    }
    wait()
  }

  /// How many seconds half of the window may take before the list is read further, if the process was mostly idle.
  package static let patience = 0.01

  /// How many requests of a sequence may wait for their host. They cannot be pulled twice, so each takes some hundred
  /// bytes.
  private static let aside = 4096
}
