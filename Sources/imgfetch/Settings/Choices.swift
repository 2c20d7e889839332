import ImgfetchCore

/// The words of options that the library does not have or names differently.
enum Choices {
  /// `--order`: which waiting image starts next.
  enum Order: String, Choice { case fifo, lifo }

  /// `--flip`: the axis.
  enum Flip: String, Choice {
    case horizontal = "h"
    case vertical = "v"

    var orientation: Orientation { self == .horizontal ? .mirrored : .flipped }
  }

  /// `--rotate`: degrees, clockwise.
  enum Rotation: String, Choice {
    case quarter = "90"
    case half = "180"
    case threeQuarters = "270"

    var orientation: Orientation {
      switch self {
      case .quarter: .quarter
      case .half: .half
      case .threeQuarters: .threeQuarters
      }
    }
  }

  /// `--convert`: the format that is written; nil for that of the image.
  struct Target: Choice {
    static let allCases = ImageFormat.allCases.filter(\.isConversionTarget).map { Target(format: $0) } + [Target()]

    var format: ImageFormat?

    var word: String { format?.rawValue ?? "same" }
    var target: ImageTransform.Target { format.map { .format($0) } ?? .same }
  }

  /// `--only-format`: the formats that are accepted.
  struct Format: Choice {
    static let allCases = ImageFormat.allCases.flatMap { format in
      format.names.map { Format(word: $0, format: format) }
    }

    let word: String
    let format: ImageFormat
  }

  /// `--fingerprint`: the fingerprints of the pixels.
  struct Fingerprint: Choice {
    static let allCases = ImageDetail.fingerprints.map { Fingerprint(detail: $0) }

    let detail: ImageDetail

    var word: String { detail.name }
  }

  /// `--print`: which results are printed.
  enum Printing: String, Choice { case all, new }

  /// `--prune`: how many of the files that are this program's may go at once.
  enum PruneLimit: String, Choice { case half, all }

  /// `--progress`.
  enum Progress: String, Choice { case auto, bar, plain, json, none }

  /// `--shard-by`: what a part of a list consists of.
  enum Sharding: String, Choice { case lines, host }

  /// `--list-format`: what the records of a list are.
  enum ListFormat: String, Choice { case lines, tsv, csv, jsonl }

  /// `--sort`: the order of a list of entries.
  enum EntryOrder: String, Choice { case key, size, stored, used }

  /// `--color`.
  enum Color: String, Choice { case auto, always, never }

  /// `completions`.
  enum Shell: String, Choice { case bash, zsh, fish }
}
