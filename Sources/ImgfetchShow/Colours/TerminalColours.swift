/// The colours that a terminal has for a picture.
package enum TerminalColours: Hashable, Sendable {
  /// All colours of 24 bits.
  case all
  /// The 256 of xterm. The first 16 are the user's own and are left alone.
  case palette

  /// The colours that a terminal's variables promise.
  package init(_ variable: (String) -> String?) {
    let says = variable("COLORTERM")?.lowercased() ?? ""
    let kind = variable("TERM") ?? ""
    self = says == "truecolor" || says == "24bit" || kind.hasSuffix("-direct") ? .all : .palette
  }
}
