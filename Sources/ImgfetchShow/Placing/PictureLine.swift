/// A text above or below a picture, and the cells that it takes.
package struct PictureLine: Hashable, Sendable {
  package let text: String
  /// The width on the terminal, which decides over how many rows a narrower window wraps it.
  package let width: Int

  package init(_ text: String, width: Int) {
    self.text = text
    self.width = width
  }
}
