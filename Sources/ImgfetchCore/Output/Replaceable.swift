/// The files that an image may replace.
package enum Replaceable: Hashable, Sendable {
  /// The image's own file: the name is made from the URL alone, and is kept across runs.
  case own
  /// Any file that this program wrote: the name comes from elsewhere.
  case ours
  /// Any file of the name: the user has named this file, or has all replaced.
  case any
}
