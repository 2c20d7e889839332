import ImgfetchCore
import ImgfetchDataSet

// Lines of a data set. Before an image, its owner's terms are requested, as far as the purpose demands; they go into
// the row.
extension GetRun {
  /// A line that is asked for.
  struct PackedLine: Sendable {
    let line: InputLine
    let index: Int
    /// The line's place in the look-ahead.
    let slot: Int
    let consent = ConsentNote()
  }

  /// Sends the request of a line, or tells at once that its owner does not want it.
  func submit(_ request: FetchRequest, to packing: Packing, _ packed: PackedLine) {
    var request = request
    request.sink = packing.sink(packed.index, packed.consent)
    guard let desk = consentDesk else { return send(request, packing, packed) }
    let url = packed.line.url
    desk.ask(url.origin) { [self, request] known in
      if let error = refusal(known, of: url, packing, packed.consent) {
        var result = FetchResult(tag: packed.index, url: url.display, key: settings.fetch.keyFilter.key(for: url))
        result.error = error
        return conclude(result, packed)
      }
      send(request, packing, packed)
    }
  }

  private func send(_ request: FetchRequest, _ packing: Packing, _ packed: PackedLine) {
    fetcher.submit(request) { [self] result in
      guard let desk = consentDesk else { return conclude(result, packed) }
      if result.error != nil {
        if let said = desk.refusal(of: result.key) { packed.consent.add(said) }
        return conclude(result, packed)
      }
      // The owner of the place that it came from has a say, too, also where it came from a cache.
      guard let text = result.finalURL, let final = try? WebURL(text), case let first = packed.line.url,
        final.origin != first.origin || !final.requestTarget.hasBytes(of: first.requestTarget)
      else { return conclude(result, packed) }
      desk.ask(final.origin) { [self] known in
        var result = result
        result.error = refusal(known, of: final, packing, packed.consent)
        conclude(result, packed)
      }
    }
  }

  /// Asks the owner of a place that a redirect or a mirror leads to, before the image is requested there.
  ///
  /// - Parameter key: The cache key of the image.
  func askOwner(of url: WebURL, key: String, then: @escaping @Sendable (FetchError?) -> Void) {
    guard let desk = consentDesk, let packing else { return then(nil) }
    desk.ask(url.origin) { [self] known in
      let note = ConsentNote()
      let error = refusal(known, of: url, packing, note)
      if error != nil { desk.note(refusal: note.consent, of: key) }
      then(error)
    }
  }

  /// The reason why an origin's files keep an image out; nil if they allow it.
  private func refusal(
    _ known: ConsentDesk.Known, of url: WebURL, _ packing: Packing, _ note: ConsentNote
  ) -> FetchError? {
    let purpose = packing.consentRule.purpose
    if let failure = known.failure {
      note.add(Consent(allows: false, failure.source, failure.file + " could not be had"))
      return failure.error.told(to: url.display)
    }
    let said = known.said.consent(to: url.requestTarget, for: purpose)
    note.add(said)
    // Rules are obeyed under --robots, too; statements of uses only say something where there is a use.
    guard said.verdict == .no, purpose != .any || said.isOfRules else { return nil }
    return FetchError(.refused, url.display, ConsentNote.refusal(said, purpose))
  }

  private func conclude(_ result: FetchResult, _ packed: PackedLine) {
    let line = packed.line
    var note = line.note
    note.append(packed.consent.consent)
    finish(result, line.tag, given: line.tag.number == nil ? line.text : nil, note: note)
    answered(packed.slot, isAnswer: result.isAnswer)
  }
}
