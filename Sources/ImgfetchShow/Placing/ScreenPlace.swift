/// A thing at its place on the screen, which can be drawn anew there.
package protocol ScreenPlace {
  /// Notes how often the terminal has been another program's. After one more time the thing gets another place, and
  /// what was drawn of it stays.
  mutating func note(absences: Int)
}

extension PlacedPicture: ScreenPlace {}
