/// An option's value that is one of a few words. The words are the raw values; help, completions and errors list them.
protocol Choice: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

extension Choice {
  static var words: [String] { allCases.map(\.rawValue) }
}

/// The closed sets of words that options take.
enum Choices {
  /// `--cache`: what is read, when the origin is asked, what is stored.
  enum Policy: String, Choice { case age, http, refresh, reload, only, memory, off }

  /// `--order`: which waiting image starts next.
  enum Order: String, Choice { case fifo, lifo }

  /// `--verify`: how closely a body is looked at before it is believed.
  enum Verification: String, Choice { case none, structure, decode }

  /// `--fit`: how an image meets the box of `--resize`.
  enum Fit: String, Choice { case inside, cover, fill, down }

  /// `--flip`: the axis.
  enum Flip: String, Choice {
    case horizontal = "h"
    case vertical = "v"
  }

  /// `--rotate`: degrees, clockwise.
  enum Rotation: String, Choice {
    case quarter = "90"
    case half = "180"
    case threeQuarters = "270"
  }

  /// `--convert`: the format that is written.
  enum Target: String, Choice { case jpeg, png, webp, same }

  /// `--only-format`: the formats that are read.
  enum Format: String, Choice { case jpeg, png, apng, gif, webp }

  /// `--print`: which results are worth a line.
  enum Printing: String, Choice { case all, new }

  /// `--progress`.
  enum Progress: String, Choice { case auto, bar, plain, json, none }

  /// `--color`.
  enum Color: String, Choice { case auto, always, never }

  /// `completions`.
  enum Shell: String, Choice { case bash, zsh, fish }
}
