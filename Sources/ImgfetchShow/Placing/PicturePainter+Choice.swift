import ImgfetchCore

extension PicturePainter {
  /// Decides whether a terminal is asked for its abilities. It is not where the question could be seen: within tmux and
  /// screen the answers would be theirs, and the Linux console prints sequences that it does not know.
  package static func asks(_ picture: PictureChoice, _ variable: (String) -> String?) -> Bool {
    let kind = variable("TERM") ?? ""
    let isWithin = ["TMUX", "STY"].contains { variable($0)?.isEmpty == false }
    return picture == .auto && !isWithin && !["screen", "tmux", "linux", "dumb"].contains { kind.hasPrefix($0) }
      && !kind.isEmpty
  }

  /// True within tmux, which passes a graphic on if it may, but does not know where it is.
  private static func isWithinTmux(_ variable: (String) -> String?) -> Bool {
    variable("TMUX")?.isEmpty == false || variable("TERM")?.hasPrefix("tmux") == true
  }

  /// Chooses how pictures are drawn: as the user says, else by the best of what the terminal has answered, else as half
  /// blocks.
  /// - Parameters:
  ///   - answers: The terminal's answers; nil if it was not asked.
  ///   - cell: The size of a cell in pixels that the system tells.
  package static func chosen(
    _ picture: PictureChoice, _ answers: TerminalAnswers?, cell: PixelSize?, process: Int,
    _ variable: (String) -> String?
  ) -> PicturePainter {
    let way: Way =
      switch picture {
      case .kitty: isWithinTmux(variable) ? .placeholders : .kitty
      case .iterm: .iterm
      case .sixel: .sixel
      case .blocks: .blocks(TerminalColours(variable))
      case .auto:
        if answers?.areComplete == true, answers?.hasKitty == true {
          .kitty
        } else if answers?.hasSixels == true {
          .sixel
        } else {
          .blocks(TerminalColours(variable))
        }
      }
    return PicturePainter(
      way, cell: cell ?? answers?.cell, isSynchronised: answers?.isSynchronising ?? false, process: process)
  }
}
