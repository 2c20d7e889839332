import ImgfetchCore
import ImgfetchPages

/// Goes through sources and through what they lead to, in order, and tells which images they name. Pages ahead are
/// fetched meanwhile.
///
/// Owned by the thread that runs it.
final class SourceWalk {
  /// The events of a walk. Each may be called at any time during it.
  struct Events {
    /// Takes an image; false ends the walk.
    let found: (FoundImage) -> Bool
    /// Takes the failure of a source, or of a page that it leads to.
    let fail: (FetchError) -> Void
    /// Takes a source that could be read and names no image; nil if that is a failure like others.
    var nothing: ((FetchError) -> Void)?
    let warn: (String) -> Void
    /// Takes note that a limit has left out pages or images; nil if that makes no difference.
    var cut: (() -> Void)?
  }

  private enum Place {
    case page(WebURL, options: SharedOptions)
    case file(String)
    case standardInput
    /// A text that names no source.
    case nothing(FetchError)
  }

  /// A source that is still to be read.
  private final class Waiting {
    let place: Place
    let isGiven: Bool
    /// The text of a given source without a scheme: it may be the misspelt name of a file.
    var typed: String?
    var body: PageBody?
    /// The page as it was kept, which an answer may confirm.
    var kept: PageStore.KeptPage?

    init(_ place: Place, isGiven: Bool) {
      self.place = place
      self.isGiven = isGiven
    }
  }

  private let settings: Settings
  private let fetcher: Fetcher
  private let folder: String
  private let requests: PageRequests
  /// The pages that earlier runs have kept, or nil if there is no disk cache.
  private let pages: PageStore?
  private let events: Events
  private var images: FoundImages
  /// The next source is the last one.
  private var waiting: [Waiting] = []
  private var visited: Set<String> = []
  /// The pages that have been read, by all URLs that led to them.
  private var known: Set<String> = []
  /// The number of pages that others have led to.
  private var followed = 0
  private var isOverLimit = false
  private var isStopped = false
  /// True once something was said of the given source that is being read, other than its images.
  private var isAnswered = false
  /// True once a source has failed, or a page that it leads to.
  private(set) var hasFailed = false
  /// The number of images that were told of.
  private(set) var count = 0

  /// Pages that are on their way at once, besides the one that is read.
  private static let mostAhead = 8

  /// - Parameter folder: The folder for temporary files.
  init(_ settings: Settings, _ fetcher: Fetcher, spoolIn folder: String, _ events: Events) {
    self.settings = settings
    self.fetcher = fetcher
    self.folder = folder
    self.events = events
    requests = PageRequests(settings)
    pages = fetcher.pages
    images = FoundImages(settings)
  }

  func run(_ sources: [String]) {
    waiting = sources.reversed().map { source in
      let waiting = Waiting(place(of: source), isGiven: true)
      waiting.typed = source.holds("://") ? nil : source
      return waiting
    }
    var given: String?
    while let next = waiting.popLast(), !isStopped {
      if case .page(let url, _) = next.place, known.contains(url.canonical) { continue }
      if next.isGiven {
        if let given { end(given) }
        images.beginSource()
        isAnswered = false
        given = name(of: next.place)
      }
      fetchAhead(next)
      do throws(FetchError) { try read(next) } catch { fail(error, next) }
    }
    if let given, !isStopped { end(given) }
    pages?.trim()
    if isOverLimit {
      let count = settings.find.maximumPages == 0 ? "none" : "only \(settings.find.maximumPages)"
      warnOfCut("\(count) of the pages that the sources lead to were read; --max-pages reads more")
    }
  }

  private func warnOfCut(_ message: String) {
    events.warn(message)
    events.cut?()
  }

  private func fail(_ error: FetchError, _ source: Waiting) {
    hasFailed = true
    isAnswered = true
    guard let typed = source.typed, error.kind == .name else { return events.fail(error) }
    events.fail(
      FetchError(
        .name, error.subject, "\(error.reason); there is no file \(SafeText.text(MaskedText.of(typed))) either",
        isTransient: error.isTransient, remedy: error.remedy, cause: error.cause))
  }

  /// Ends a given source, with all pages that it leads to.
  private func end(_ given: String) {
    if images.count == 0, !isAnswered {
      tellNothing(in: given, reasonOfOmissions ?? "no images in it, nor in the pages that it leads to")
    }
    tellOmissions(of: given)
  }

  // MARK: Sources

  private func place(of source: String) -> Place {
    if source == "-" { return .standardInput }
    if !source.holds("://"), ProcessEnvironment.exists(source) { return .file(source) }
    do throws(URLFailure) {
      let url = try settings.list.urls.url(source)
      visited.insert(url.canonical)
      return .page(url, options: requests.given(url))
    } catch {
      let isName = !source.holds("://")
      return .nothing(
        FetchError(
          isName ? .file : .refused, WebURL.masked(source),
          isName ? "there is no file of this name, and \(error)" : "\(error)"))
    }
  }

  private func name(of place: Place) -> String {
    switch place {
    case .page(let url, _): url.display
    case .file(let path): path
    case .standardInput: "standard input"
    case .nothing(let error): error.subject
    }
  }

  /// Submits the pages that come next, so that they are there when it is their turn.
  private func fetchAhead(_ current: Waiting) {
    var isNew = false
    for next in [current] + waiting.suffix(Self.mostAhead).reversed() {
      guard next.body == nil, case .page(let url, let options) = next.place else { continue }
      let mayKeep = requests.mayKeep(url) && requests.policy != .reload
      next.kept = mayKeep || requests.policy == .only ? pages?.page(url) : nil
      if requests.policy == .only { continue }
      next.body = submit(url, next.kept.map { requests.conditional(options, $0) } ?? options)
      isNew = true
    }
    if isNew { fetcher.kick() }
  }

  private func submit(_ url: WebURL, _ options: SharedOptions) -> PageBody {
    let body = PageBody(url.display, limit: settings.find.maximumPage, spoolIn: folder)
    var request = FetchRequest(url, tag: -1, shared: options)
    request.priority = .high
    request.purpose = .page(body)
    fetcher.submit(request) { body.end($0) }
    return body
  }

  private func read(_ source: Waiting) throws(FetchError) {
    switch source.place {
    case .nothing(let error): throw error
    case .standardInput: try read(.standardInput, "standard input", ending: nil, of: source)
    case .file(let path):
      let file: SharedDescriptor
      do throws(SystemError) {
        file = SharedDescriptor(try .open(path, .read))
        guard try file.file.status().kind != .directory else { throw SystemError(.openat, .isDirectory) }
      } catch { throw FetchError(.file, path, "cannot be opened: \(error.code)") }
      try read(file, path, ending: PageRequests.ending(of: String(path.pathSplit.name)), of: source)
    case .page(let url, let options): try read(url, options, source)
    }
  }

  private func read(_ url: WebURL, _ options: SharedOptions, _ source: Waiting) throws(FetchError) {
    let kept = source.kept.take()
    if requests.policy == .only {
      guard let kept else { throw FetchError(.offline, url.display, "the page is not kept beside the cache") }
      return try read(kept, of: url, source)
    }
    guard var body = source.body.take(), var result = body.wait() else { return isAnswered = true }
    if result.error == nil, result.status == 304 {
      // Another page may have the same validator: only of the one that was kept it says something.
      if let kept, result.finalURL == kept.finalURL { return try read(kept, of: url, source) }
      body = submit(url, options)
      fetcher.kick()
      result = body.wait() ?? result
    }
    if let error = result.error {
      if body.isImage { return take(imageAt: url) }
      throw error
    }
    keep(body, of: url, result)
    try read(body, of: url, result, source)
  }

  /// Keeps a page for the next run.
  private func keep(_ body: PageBody, of url: WebURL, _ result: FetchResult) {
    guard let pages, requests.mayKeep(url), PageRequests.isKept(result.fields), let fields = result.fields else {
      return
    }
    pages.keep(url, finalURL: result.finalURL ?? url.requestURL, fields, from: result.address) {
      (write) throws(SystemError) in
      var offset: Int64 = 0
      while case let piece = try body.piece(from: offset), !piece.isEmpty {
        offset += Int64(piece.count)
        try write(piece.span)
      }
    }
  }

  private func read(_ kept: PageStore.KeptPage, of url: WebURL, _ source: Waiting) throws(FetchError) {
    var text = opened(url, finalURL: kept.finalURL, kept.fields, kept.address)
    var failure: FetchError?
    var isWanted = true
    do throws(BodyReadFailure) {
      try kept.body.read { piece in
        guard failure == nil, isWanted else { return }
        var bytes: [UInt8] = []
        for index in piece.indices { bytes.append(piece[index]) }
        do throws(FetchError) { isWanted = try take(bytes, &text, source) } catch { failure = error }
      }
    } catch { throw FetchError(.damaged, url.display, "the page is kept beside the cache, and damaged there") }
    if let failure { throw failure }
    if isWanted { try end(&text, source) }
  }

  private func read(
    _ file: SharedDescriptor, _ name: String, ending: String?, of source: Waiting
  ) throws(FetchError) {
    let base = settings.find.base
    let limit = settings.find.maximumPage
    var text = SourceText(
      PageAddress(name: name, url: base, referrer: base, isOwn: true), limit: limit, ending: ending, column: column)
    while true {
      var piece: [UInt8] = []
      do throws(SystemError) { _ = try file.file.read(into: &piece, count: 64 << 10) } catch {
        throw FetchError(.file, name, "cannot be read: \(error.code)")
      }
      if piece.isEmpty { break }
      guard try take(piece, &text, source) else { return }
    }
    try end(&text, source)
  }

  private func read(
    _ body: PageBody, of url: WebURL, _ result: FetchResult, _ source: Waiting
  ) throws(FetchError) {
    var text = opened(url, finalURL: result.finalURL, result.fields, result.address)
    var offset: Int64 = 0
    while case let piece = try body.read(from: offset), !piece.isEmpty {
      offset += Int64(piece.count)
      guard try take(piece, &text, source) else { return }
    }
    try end(&text, source)
  }

  private func opened(
    _ url: WebURL, finalURL: String?, _ fields: HeaderFields?, _ address: Provenance.Address
  ) -> SourceText {
    let final = finalURL.flatMap { try? WebURL($0) } ?? url
    // The page's own name and password are nothing for what it names.
    let document = (try? WebURL(final.requestURL)) ?? final
    visited.insert(document.canonical)
    known.formUnion([url.canonical, document.canonical])
    let type = fields?.first("Content-Type")
    return SourceText(
      PageAddress(name: document.display, url: document, referrer: document, isPublic: address == .allPublic),
      itself: url, limit: settings.find.maximumPage, label: PageRequests.encoding(of: type),
      ending: PageRequests.ending(ofType: type) ?? PageRequests.ending(of: document.lastPathSegment), column: column)
  }

  private var column: [UInt8]? { settings.list.columns.url.map { Array($0.utf8) } }

  // MARK: What they name

  /// Reads on in a source. Returns false when no more of it is wanted.
  private func take(_ piece: [UInt8], _ text: inout SourceText, _ source: Waiting) throws(FetchError) -> Bool {
    try text.take(piece)
    if text.isImage {
      take(imageItself: text)
      return false
    }
    follow(text.takeFound(), text.page)
    try checkTable(text)
    return !isStopped
  }

  private func end(_ text: inout SourceText, _ source: Waiting) throws(FetchError) {
    try text.finish()
    if text.isImage { return take(imageItself: text) }
    follow(text.takeFound(), text.page)
    try checkTable(text)
    if text.unreadable > 0 {
      events.warn(
        "\(text.page.name): \(Amount.count(text.unreadable, "image")) left out: the encoding of the page is not read, "
          + "and the addresses are not all ASCII")
    }
    if text.passedOver > 0 {
      warnOfCut(
        "\(text.page.name): \(Amount.grouped(text.passedOver)) definitions or references passed over, since there are "
          + "so many; split the text to have their images")
    }
    if text.isMessage, images.count > 0 { events.warn("\(text.page.name): it is \(Self.message)") }
    if let fault = text.fault { throw FetchError(.damaged, text.page.name, "\(fault), and what follows was not read") }
    if source.isGiven, images.count == 0, waiting.last.map({ $0.isGiven }) ?? true {
      tellNothing(in: text.page.name, reason(forNothingIn: text))
    }
  }

  private static let message =
    "an e-mail, or a page in one file (MHTML), whose parts are not decoded; save the page as HTML to have all its images"

  private func tellNothing(in name: String, _ reason: String) {
    isAnswered = true
    let error = FetchError(.notImage, name, reason)
    if let nothing = events.nothing { return nothing(error) }
    hasFailed = true
    events.fail(error)
  }

  /// Fails for a table whose column of addresses is not known, as a list of lines does.
  private func checkTable(_ text: SourceText) throws(FetchError) {
    guard let flaw = text.tableFlaw else { return }
    let reason =
      switch flaw {
      case .missing(let names):
        ColumnFlaw.missing(settings.list.columns.url ?? "url", among: names.map { String(decoding: $0, as: UTF8.self) })
      case .several(let names): ColumnFlaw.several(names.map { String(decoding: $0, as: UTF8.self) })
      }
    throw FetchError(.file, text.page.name, "the list cannot be read: \(reason)")
  }

  private var reasonOfOmissions: String? {
    let count = images.omissions.unwanted
    guard count > 0 else { return nil }
    let left = count == 1 ? "1 is of another kind or host" : "\(count) are of other kinds or hosts"
    return "no images in it that are wanted; \(left) (--kind, --same-host, --allow-host, --deny-host)"
  }

  private func reason(forNothingIn text: SourceText) -> String {
    if let reason = reasonOfOmissions { return reason }
    if text.isOfRecords {
      guard let column = settings.list.columns.url else {
        return "no images in it; --url-column says which member of its records holds URLs"
      }
      return "no images in it; no record has a URL in \(SafeText.text(column))"
    }
    if text.isMessage { return "no images in its text; it is \(Self.message)" }
    return text.isFilledByScripts ? "no images in its HTML; it is filled by scripts" : "no images in it"
  }

  private func take(imageItself text: SourceText) {
    guard let url = text.itself else {
      return tellNothing(in: text.page.name, "it is an image of this machine, and no page that names some")
    }
    take(imageAt: url)
  }

  private func take(imageAt url: WebURL) {
    for image in images.take(itself: url) { tell(image) }
  }

  private func tell(_ image: FoundImage) {
    guard !isStopped else { return }
    count += 1
    isStopped = !events.found(image)
  }

  private func follow(_ findings: [SourceFinding], _ page: PageAddress) {
    var sources: [Waiting] = []
    if !findings.isEmpty { begin(page) }
    for finding in findings {
      switch finding {
      case .image(let picture):
        for image in images.take(picture) { tell(image) }
      case .base(let reference): images.setBase(reference)
      case .beginBase(let reference): images.beginBase(reference)
      case .endBase: images.endBase()
      case .source(let reference):
        if let next = self.source(reference, page) { sources.append(next) }
      }
    }
    // Those of one page in their order, before all that waits.
    waiting.insert(contentsOf: sources.reversed(), at: insertionPlace(sources, page))
  }

  private var begun: String?

  /// Begins a page with its first finding.
  private func begin(_ page: PageAddress) {
    if begun != page.name { images.begin(page) }
    begun = page.name
  }

  private var led: (page: String, count: Int) = ("", 0)

  /// The place of further sources of a page: behind those that it has named before.
  private func insertionPlace(_ sources: [Waiting], _ page: PageAddress) -> Int {
    if led.page != page.name { led = (page.name, 0) }
    defer { led.count += sources.count }
    return max(0, waiting.count - led.count)
  }

  private func source(_ reference: [UInt8], _ page: PageAddress) -> Waiting? {
    guard let url = images.source(reference), !visited.contains(url.canonical) else { return nil }
    guard followed < settings.find.maximumPages else {
      isOverLimit = true
      return nil
    }
    visited.insert(url.canonical)
    followed += 1
    return Waiting(.page(url, options: requests.followed(url, from: page)), isGiven: false)
  }

  private func tellOmissions(of name: String) {
    let left = images.omissions
    if left.embedded > 0 {
      events.warn("\(name): \(Amount.count(left.embedded, "image")) in the page itself (data:) not listed")
    }
    if left.relative > 0 {
      events.warn(
        "\(name): \(Amount.count(left.relative, "image")) left out whose addresses are relative; --base URL says to what"
      )
    }
    if left.excessive > 0 {
      warnOfCut(
        "\(name): \(Amount.count(left.excessive, "image")) left out: the addresses are too long together; "
          + "a larger --max-page allows more")
    }
    if left.unreachable > 0 {
      events.warn(
        "\(name): \(Amount.count(left.unreachable, "image")) left out: a public page may not lead to private addresses")
    }
  }
}
