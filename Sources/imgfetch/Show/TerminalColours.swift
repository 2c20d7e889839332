/// The colours that a terminal has for a picture.
enum TerminalColours: Hashable, Sendable {
  /// All colours of 24 bits.
  case all
  /// The 256 of xterm. The first 16 are the user's own and are left alone.
  case palette

  /// The colours that a terminal's variables promise.
  init(_ variable: (String) -> String?) {
    let says = variable("COLORTERM")?.lowercased() ?? ""
    let kind = variable("TERM") ?? ""
    self = says == "truecolor" || says == "24bit" || kind.hasSuffix("-direct") ? .all : .palette
  }
}

/// A colour as a picture has it, with room for the errors that dithering carries on.
struct PictureColour: Hashable, Sendable {
  var red: Int
  var green: Int
  var blue: Int
}
