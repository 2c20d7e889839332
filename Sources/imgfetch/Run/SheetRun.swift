import ImgfetchCore
import ImgfetchShow

/// The contact sheet of a run of `show`: all pictures small, in rows, a page at a time. Belongs to the main thread.
struct SheetRun {
  private let run: ShowRun
  private let items: [ShownItem]
  private(set) var code: ExitCode
  /// The number of items that were submitted.
  private var submitted = 0
  /// The messages for the end: between two rows of a page they would move it.
  private var messages: [String] = []

  init(_ run: ShowRun, _ items: [ShownItem], _ code: ExitCode) {
    self.run = run
    self.items = items
    self.code = code
  }

  private var screen: PictureScreen { run.screen }
  private var isBrokenOff: Bool { run.interrupts.cause != nil || screen.failure != nil }

  /// Shows all pages, or those that the user wants to see.
  mutating func show() {
    var next = 0
    while next < items.count, !isBrokenOff {
      let layout = screen.layout(of: items.count)
      let end = min(items.count, next + layout.perPage)
      run.submit(items, &submitted, before: end + layout.perPage + run.settings.fetcher.jobs)
      showPage(next..<end, layout)
      next = end
      if next < items.count, !isBrokenOff, !screen.wantsMore(Self.question(next, items.count)) {
        run.fetcher.cancelAll()
        break
      }
    }
    if isBrokenOff { return }
    for message in messages { run.messages.error(message) }
  }

  private static func question(_ shown: Int, _ count: Int) -> String {
    "-- \(Amount.grouped(shown)) of \(Amount.count(count, "image")): Space for more, q to end --"
  }

  private mutating func showPage(_ page: Range<Int>, _ layout: SheetLayout) {
    screen.isDrawing(screen.isTerminal)
    defer { screen.isDrawing(false) }
    for first in stride(from: page.lowerBound, to: page.upperBound, by: layout.across) where !isBrokenOff {
      do throws(FetchError) {
        try showRow(first..<min(page.upperBound, first + layout.across), layout)
      } catch {
        if isBrokenOff { return }
        tell(error)
      }
    }
  }

  /// Shows a row: at a terminal its names, and each picture when it is there; elsewhere all at once.
  private mutating func showRow(_ places: Range<Int>, _ layout: SheetLayout) throws(FetchError) {
    var row = screen.row(places.map { items[$0].shortName }, first: places.lowerBound, layout)
    let isReplaceable = screen.canReplace(row)
    func draw(_ isDue: Bool) throws(FetchError) {
      if isDue { try screen.draw(&row) { $0.text(columns: screen.columns) } }
    }
    try draw(isReplaceable)
    var coming: [Int] = []
    for place in places {
      switch items[place] {
      case .url:
        coming.append(place)
        continue
      case .file(let name):
        let arrival: Result<ShownImage, FetchError>
        do throws(FetchError) {
          arrival = .success(try ShownImage(file: name, run.settings, run.showing))
        } catch { arrival = .failure(error) }
        fill(&row, place, of: places, arrival, layout)
      case .refused(let error): fill(&row, place, of: places, .failure(error), layout)
      }
      if isBrokenOff { return }
      try draw(isReplaceable)
    }
    // Other threads do the work: this one draws.
    if !coming.isEmpty { run.fetcher.kick() }
    while !coming.isEmpty {
      let (number, arrival) = run.arriving.next(of: coming)
      coming.removeAll { $0 == number }
      fill(&row, number, of: places, arrival, layout)
      if isBrokenOff { return }
      try draw(isReplaceable)
    }
    try draw(!isReplaceable)
  }

  /// Puts the picture of an image into its place, or the reason why there is none.
  private mutating func fill(
    _ row: inout SheetRow, _ number: Int, of places: Range<Int>, _ arrival: Result<ShownImage, FetchError>,
    _ layout: SheetLayout
  ) {
    let (item, place) = (items[number], number - places.lowerBound)
    do throws(FetchError) {
      let image = try arrival.get()
      let box = row.box(image.facts.uprightSize)
      let picture: PixelBuffer
      do throws(PixelFailure) {
        picture = try ShownFrames.first(of: image.body, image.facts, size: box.size, run.showing)
      } catch { throw error.fetchError(of: item.name) }
      row.fill(place, screen.finished(picture), box)
    } catch {
      // An interrupted image needs no message.
      if isBrokenOff { return }
      row.fail(place, screen.text(error.kindAndStatus, in: layout))
      tell(item.noted(error))
    }
  }

  /// Reports a failure: below the sheet if it is on a terminal.
  private mutating func tell(_ error: FetchError) {
    let error = Advice.completing(error, run.settings.proxy)
    code.add(error)
    if screen.isTerminal { messages.append(error.message) } else { run.messages.error(error.message) }
  }
}
