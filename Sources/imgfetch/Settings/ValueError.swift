/// The reason why a text is not a valid value, to follow "cannot be 'abc': ".
struct ValueError: Error, Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }
}
