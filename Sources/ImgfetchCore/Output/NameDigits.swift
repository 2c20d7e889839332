/// The reason why a name has digits.
package enum NameDigits: Hashable, Sendable {
  /// Another image's file has the plain name.
  case ofAnother
  /// A file that this program did not write has the name.
  case ofStranger
}
