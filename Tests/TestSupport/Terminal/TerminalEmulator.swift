import ImgfetchCore

/// A terminal of our own that a program under test runs at: it shows text in cells and pictures in three
/// protocols, and answers questions.
///
/// Its screen can be compared pixel by pixel with the expected one. It remembers unknown sequences as surprises.
package final class TerminalEmulator: Sendable {
  /// The way in which the terminal answers questions.
  package enum Answering: Sendable {
    case well
    /// Only when ``TerminalEmulator/answerLate()`` is called.
    case late
    case never
    /// With nonsense.
    case wrongly
  }

  package struct Abilities: Sendable {
    package var kitty = false
    package var sixel = false
    package var synchronised = false
    package var answering = Answering.well
    /// The size of a cell in pixels, and whether the system knows it.
    package var cell = (width: 10, height: 20)
    package var tellsSystem = true

    package init() {}
  }

  private let abilities: Abilities
  private struct State {
    var screen: EmulatedScreen
    var late: [UInt8] = []
  }
  private let state: Guarded<State>

  package init(columns: Int = 80, rows: Int = 24, _ adjust: (inout Abilities) -> Void = { _ in }) {
    var abilities = Abilities()
    adjust(&abilities)
    self.abilities = abilities
    state = Guarded(State(screen: EmulatedScreen(columns: columns, rows: rows, cell: abilities.cell)))
  }

  /// The size of a cell that the system is told; 0 x 0 where it is not.
  package var systemCell: (width: Int, height: Int) { abilities.tellsSystem ? abilities.cell : (0, 0) }

  /// The present screen.
  package var screen: EmulatedScreen { state.withLock { $0.screen } }

  package func resize(columns: Int, rows: Int) { state.withLock { $0.screen.resize(columns: columns, rows: rows) } }

  /// Shows text, of which there may be parts of characters.
  package func show(_ text: some Sequence<UInt8>) { _ = feed(Array(text)[...]) }

  /// Shows what the program has written. Returns what the terminal says to it at once.
  func feed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    state.withLock { state in
      for byte in bytes { state.screen.take(byte) }
      let questions = state.screen.takeQuestions()
      if questions.isEmpty { return [] }
      switch abilities.answering {
      case .well: return questions.flatMap { answer($0) }
      case .late:
        state.late += questions.flatMap { answer($0) }
        return []
      case .never: return []
      case .wrongly:
        return Array("\u{1B}[9999999999;;;t\u{1B}_Gi=31;EINVAL:no\u{1B}\\\u{1B}[?2026;9$y\u{1B}[?;;99999999c".utf8)
      }
    }
  }

  /// The answers that were held back.
  package func answerLate() -> [UInt8] {
    state.withLock { state in
      defer { state.late = [] }
      return state.late
    }
  }

  private func answer(_ question: EmulatedScreen.Question) -> [UInt8] {
    let text =
      switch question {
      case .kitty(let number): abilities.kitty ? "\u{1B}_Gi=\(number);OK\u{1B}\\" : ""
      case .attributes: "\u{1B}[?62;\(abilities.sixel ? "4;" : "")22c"
      case .cell: "\u{1B}[6;\(abilities.cell.height);\(abilities.cell.width)t"
      case .mode(let mode): "\u{1B}[?\(mode);\(abilities.synchronised && mode == 2026 ? 2 : 0)$y"
      }
    return Array(text.utf8)
  }
}
