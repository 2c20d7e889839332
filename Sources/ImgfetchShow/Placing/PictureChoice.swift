/// The ways in which a user can have pictures drawn.
package enum PictureChoice: String, CaseIterable, Sendable {
  /// As the terminal says.
  case auto
  case kitty, iterm, sixel, blocks
}
