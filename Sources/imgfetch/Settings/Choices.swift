import ImgfetchCore

/// An option's value that is one of a few words. Help, completions and errors list them.
protocol Choice: CaseIterable, Hashable, Sendable {
  var word: String { get }
}

extension Choice {
  static var words: [String] { allCases.map(\.word) }
}

extension Choice where Self: RawRepresentable<String> {
  var word: String { rawValue }
}

extension CachePolicy: Choice {}
extension Resize.Fit: Choice {}

extension Verification: Choice {
  var word: String { name }
}

/// The words of options whose meaning is the program's own, or that the library calls something else.
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

  /// `--convert`: the format that is written.
  enum Target: String, Choice {
    case jpeg, png, webp, same

    var target: ImageTransform.Target { ImageFormat(rawValue: rawValue).map { .format($0) } ?? .same }
  }

  /// `--only-format`: the formats that are accepted.
  enum Format: String, Choice {
    case jpeg, png, apng, gif, webp

    var format: ImageFormat {
      switch self {
      case .jpeg: .jpeg
      case .png, .apng: .png
      case .gif: .gif
      case .webp: .webp
      }
    }
  }

  /// `--print`: which results are printed.
  enum Printing: String, Choice { case all, new }

  /// `--progress`.
  enum Progress: String, Choice { case auto, bar, plain, json, none }

  /// `--color`.
  enum Color: String, Choice { case auto, always, never }

  /// `completions`.
  enum Shell: String, Choice { case bash, zsh, fish }
}

/// The pages of the manual.
enum ManualPage: String, Choice {
  case imgfetch = "imgfetch.1"
  case get = "imgfetch-get.1"
  case cache = "imgfetch-cache.1"
  case inspect = "imgfetch-inspect.1"
  case config = "imgfetch-config.5"
}

/// Part `index` (from 1) of `count`.
struct Shard: Hashable, Sendable {
  var index: Int
  var count: Int

  /// Whether a key falls into this part. All machines that work on one list agree, whatever the order of its lines, and each key is in
  /// one part.
  func contains(_ keyHash: ContentHash) -> Bool {
    // The low half: the high one names the entry's folder, and a part should fill all folders evenly.
    count <= 1 || Int(keyHash.low % UInt64(count)) == index - 1
  }
}

/// So many requests in so many nanoseconds.
struct RequestRate: Hashable, Sendable {
  var requests: Int
  var nanoseconds: Int64

  var perSecond: Double { Double(requests) * 1e9 / Double(max(1, nanoseconds)) }
}

/// A header field to send, or not to send.
struct HeaderSetting: Hashable, Sendable {
  var name: String
  /// Nil: the field is left out where it would be sent.
  var value: String?
}

/// A name, with a password where one was given.
struct UserSetting: Hashable, Sendable {
  var name: String
  /// Nil: to be asked for.
  var password: String?
}

/// Where connections to a host and port go.
struct ResolveSetting: Hashable, Sendable, CustomStringConvertible {
  var host: String
  var port: Int
  var address: String

  var description: String { "\(host):\(port):\(address)" }
}
