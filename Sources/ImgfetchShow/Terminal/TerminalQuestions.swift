/// The questions to a terminal about its abilities.
enum TerminalQuestions {
  /// The number of the picture that kitty's question is about.
  static let number = 31

  /// The questions for kitty's protocol, synchronised redraws, the size of a cell, and the attributes. Every terminal
  /// answers the last, and answers in order: with it, all answers are there that will come.
  static let text =
    "\u{1B}_Gi=\(number),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\" + "\u{1B}[?2026$p" + "\u{1B}[16t" + "\u{1B}[c"
}
