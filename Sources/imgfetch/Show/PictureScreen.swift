import ImgfetchCore
import ImgfetchShow

/// The screen that pictures are drawn on: standard output, and the properties of its terminal.
final class PictureScreen: Sendable {
  let painter: PicturePainter
  /// True if pictures can be drawn anew at their place: a pager or a file gets each of them once.
  let isTerminal: Bool
  /// True if animations play.
  let playsAnimations: Bool
  private let terminal: QuietTerminal?
  private let conversation: TerminalConversation?
  private let window: Window
  private let size: PixelSize?
  private let background: ImageTransform.Colour?
  private let isQuiet: Bool
  private let isUnicode: Bool

  private struct State {
    var mayDraw = true
    var failure: SystemError?
    var isDrawing = false
    /// The number of times that the terminal was another program's meanwhile: where a picture was before, there is
    /// something else now.
    var absences = 0
    /// True while a question is below a page.
    var isAsking = false
    /// The calls that wait to print.
    var held: [@Sendable () -> Void] = []
  }

  /// The moment after which a picture that is being drawn is cut; nil unless the run ends. Set before the end waits for
  /// the lock of the state, which the drawing holds.
  private let cutting = Guarded<Instant?>(nil)
  /// The state, whose lock is held while something is drawn, so that the end of the run does not cut it in two unless
  /// the terminal is slow.
  private let state = Guarded(State())
  /// The keys that were typed below earlier pages.
  private let keys = Guarded(PageKeys())

  /// - Parameters:
  ///   - terminal: The terminal of the output; nil if there is none.
  ///   - conversation: A conversation with a terminal that is asked about its abilities; nil if it is not asked.
  init(
    _ settings: Settings, _ environment: Environment, _ terminal: QuietTerminal?, _ conversation: TerminalConversation?
  ) {
    self.terminal = terminal
    self.conversation = conversation
    isTerminal = ProcessEnvironment.isTerminal(1)
    let cell = ProcessEnvironment.terminalCell(1).map { PixelSize($0.width, $0.height) }
    painter = PicturePainter.chosen(
      settings.show.picture, conversation?.listen(), cell: cell, process: Int(Processes.identifier)
    ) { environment[$0] }
    window = Window(1, environment)
    size = settings.show.size
    background = settings.show.background
    playsAnimations = isTerminal && !settings.show.isStill
    isQuiet = settings.messages.quiet
    isUnicode = ProgressMode.isUnicode { environment[$0] }
  }

  private static let usualRows = 24
  /// The time that a terminal has to take the rest of a picture once the run ends: a run is over within a second.
  private static let lastWait = Instant.Span.milliseconds(500)
  /// The milliseconds from one look at the state to the next, while a key is waited for.
  private static let patience = 250

  /// The window's width. A terminal of unknown size gets the usual one.
  var columns: Int { window.columns ?? 80 }
  var rows: Int { window.rows ?? Self.usualRows }

  /// The place of a picture in the window as it is now.
  /// - Parameter number: The number of the picture in the run.
  func place(_ image: PixelSize, _ number: Int) -> PlacedPicture {
    let usual = PictureBox.inside(columns: columns, rows: rows)
    let (columns, rows) = size.map { ($0.width, $0.height) } ?? usual
    return PlacedPicture(
      PictureBox(image, columns: columns, rows: rows, cell: painter.cell), painter, place: number,
      absences: state.withLock { $0.absences })
  }

  /// A picture as it is to be drawn.
  func finished(_ picture: PixelBuffer) -> PixelBuffer { background.map { picture.over($0) } ?? picture }

  func canReplace(_ placed: PlacedPicture) -> Bool { isOurs && placed.canBeReplaced(inRows: rows) }

  /// True if the output is a terminal, and no other job has it. What is replaced would be drawn over that one's lines.
  private var isOurs: Bool { isTerminal && !ProcessEnvironment.isInBackground(1) }

  /// A line above a picture, as long as the window allows; nil where none is wanted.
  func line(_ text: String) -> PictureLine? {
    if isQuiet { return nil }
    let text = window.columns.map { Cells.shortened(text, to: $0 - 1, isUnicode: isUnicode) } ?? text
    return PictureLine(text, width: Cells.width(text))
  }

  /// The layout of a sheet of pictures in the window as it is now.
  func layout(of count: Int) -> SheetLayout {
    let rows = isTerminal ? rows : Self.usualRows
    return SheetLayout(count: count, window: PixelSize(columns, rows), size: size, hasNames: !isQuiet)
  }

  /// The row of a sheet.
  /// - Parameter first: The number of its first picture.
  func row(_ names: [String], first: Int, _ layout: SheetLayout) -> SheetRow {
    SheetRow(
      layout, painter, names: names.map { text($0, in: layout) }, first: first,
      absences: state.withLock { $0.absences })
  }

  /// A text for a picture's room in a sheet.
  func text(_ text: String, in layout: SheetLayout) -> PictureLine {
    let text = Cells.shortened(SafeText.text(text), to: layout.columns, isUnicode: isUnicode)
    return PictureLine(text, width: Cells.width(text))
  }

  /// True if a row can be drawn anew at its place.
  func canReplace(_ row: SheetRow) -> Bool { isOurs && row.canBeReplaced(inRows: rows) }

  /// Asks below a page whether the next one is wanted, and waits for a key. Without keys to wait for it is.
  func wantsMore(_ question: String) -> Bool {
    guard isTerminal, ProcessEnvironment.isTerminal(0), let terminal else { return true }
    // A late answer of the terminal is no key.
    conversation?.end()
    guard terminal.ask(true) else { return true }
    defer {
      _ = terminal.ask(false)
      state.withLock { state in
        if state.isAsking { Self.write(Self.erasure) }
        state.isAsking = false
      }
      isDrawing(false)
    }
    var absences: Int?
    while true {
      switch keys.withLock({ $0.next() }) {
      case .next?: return true
      case .end?:
        terminal.giveBack(keys.withLock { $0.typed })
        return false
      case nil: break
      }
      // In the background it waits to be called back: a question would stand in another job's output, and reading stops
      // the process. The keys are asked for again then, since the shell has had the terminal.
      let isOurs = terminal.ask(true)
      guard ask(isOurs ? question : nil, since: &absences) else { return false }
      if isOurs {
        guard let typed = terminal.typed(within: Self.patience) else { return false }
        keys.withLock { $0.take(typed) }
      } else {
        Threads.sleep(milliseconds: Self.patience)
      }
    }
  }

  /// Writes a question, again after each time that the terminal was another program's. Returns false once the run has
  /// been broken off.
  ///
  /// - Parameter question: The question, or nil while the terminal is another program's.
  private func ask(_ question: String?, since absences: inout Int?) -> Bool {
    state.withLock { state in
      guard state.mayDraw else { return false }
      guard let question else {
        state.isAsking = false
        absences = nil
        return true
      }
      if state.absences == absences { return true }
      absences = state.absences
      state.isAsking = true
      Self.write(Cells.shortened(question, to: columns - 1, isUnicode: isUnicode))
      return true
    }
  }

  /// Writes all of a picture's or a row's text at once, unless the run has been broken off.
  func draw<Place: ScreenPlace>(_ placed: inout Place, _ text: (inout Place) -> [UInt8]) throws(FetchError) {
    do throws(SystemError) {
      try state.withLock { (state) throws(SystemError) in
        guard state.mayDraw else { return }
        if let failure = state.failure { throw failure }
        placed.note(absences: state.absences)
        // A job that ran in the background is told by nothing that it has the terminal again.
        if state.isDrawing { terminal?.draw(true) }
        let text = text(&placed)
        if text.isEmpty { return }
        do throws(SystemError) { try write(painter.synchronised(text)) } catch {
          state.failure = error
          throw error
        }
      }
    } catch { throw FetchError(.file, "standard output", "\(error.code)") }
  }

  private func write(_ drawing: [UInt8]) throws(SystemError) {
    let output = SharedDescriptor.standardOutput
    let isWhole = try output.file.write(drawing.span) {
      cutting.withLock { $0 }.map { SystemClock().now() < $0 } ?? true
    }
    if isWhole || !isTerminal { return }
    try output.file.write(painter.cutEnd.span)
    Self.write(Self.leaving)
  }

  /// The reason why nothing more can be drawn, or nil if there is none: the reader has gone, or a disk is full.
  var failure: SystemError? { state.withLock { $0.failure } }

  /// Notes whether a picture is at its place that will be replaced. Text that is printed meanwhile would move it.
  func isDrawing(_ isDrawing: Bool) {
    let held = state.withLock { state in
      state.isDrawing = isDrawing
      defer { if !isDrawing { state.held = [] } }
      return isDrawing ? [] : state.held
    }
    terminal?.draw(isDrawing)
    for print in held { print() }
  }

  /// Leaves the terminal to another program while `body` runs.
  func whileLeft(_ body: () -> Void) {
    state.withLock { state in
      // A terminal whose settings could not be changed drops output that was not shown yet at the key that stops a
      // process, in the middle of a picture or of a colour.
      if state.isDrawing { Self.write(Self.leaving) }
      if state.isAsking { Self.write(Self.erasure) }
      if let terminal { terminal.whileRestored(body) } else { body() }
      state.absences += 1
    }
  }

  /// Ends a graphic and a colour, and goes below every picture.
  private static let leaving = "\u{1B}\\\u{1B}[0m\u{1B}[999B\r"
  /// Erases the line of the cursor.
  private static let erasure = "\r\u{1B}[K"

  private static func write(_ text: String) { try? SharedDescriptor.standardOutput.file.write(Array(text.utf8).span) }

  /// Prints something beside the pictures: at once, or once the picture that is coming stays or the question is
  /// answered.
  func aside(_ print: @escaping @Sendable () -> Void) {
    let isHeld = state.withLock { state in
      let isHeld = state.isDrawing || state.isAsking
      if isHeld { state.held.append(print) }
      return isHeld
    }
    if !isHeld { print() }
  }

  /// Ends the drawing, in the middle of a picture if the terminal is slow.
  func close() {
    cutting.withLock { $0 = SystemClock().now() + Self.lastWait }
    state.withLock { state in
      state.mayDraw = false
      if state.isAsking { Self.write(Self.erasure) }
      state.isAsking = false
    }
    isDrawing(false)
  }

  /// Restores the terminal, after waiting for late answers.
  func end() {
    conversation?.end()
    terminal?.restore()
  }

  /// Leaves the terminal as it was, without waiting for late answers.
  func endAtOnce() {
    conversation?.endAtOnce()
    terminal?.restore()
  }
}
