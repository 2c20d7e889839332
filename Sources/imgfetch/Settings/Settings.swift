import ImgfetchCore

/// What a command was asked to do, with all defaults filled in. The row of each option in the table says which setting it sets.
///
/// Settings that the library has are kept in the library's own types.
struct Settings: Sendable {
  /// The operands as typed: URLs, or the files of `inspect`.
  var operands: [String] = []
  var list = ListSettings()
  /// What each request asks for.
  var fetch = FetchOptions()
  /// What holds for all requests. Without a cache folder there is no disk cache.
  var fetcher = Fetcher.Configuration()
  var cache = CacheSettings()
  var output = OutputSettings()
  /// Further URLs of the one image.
  var mirrors: [WebURL] = []
  var proxy = ProxySetting.none
  var credentials = CredentialSettings()
  /// Whether pixels are decoded in a process that can do no harm.
  var isSandboxed = true
  /// What is done to the pixels of an output.
  var transform = ImageTransform()
  /// How an image meets the box of `--resize`.
  var fit = Resize.Fit.inside
  var report = ReportSettings()
  var messages = MessageSettings()

  /// A time limit that is off, in seconds.
  static let forever: Double = 1e9
}

/// Which images are asked for besides the operands.
struct ListSettings: Sendable {
  /// Lists, read after the operands in this order; `-` is standard input.
  var inputs: [String] = []
  /// Whether records end in NUL instead of a line break.
  var isNullEnded = false
  var shard: Shard?
}

/// What the program itself does with the cache.
struct CacheSettings: Sendable {
  var keys = KeySettings()
  var maxSize = 0
  var autoClean = true
  /// `cache size`: whether the cache is walked instead of its ledger read.
  var isExact = false
  /// `cache clean`: whether nothing is removed.
  var isDryRun = false
  /// `cache verify`: whether damaged entries are removed.
  var repairs = false
  /// `cache list`: keys alone, each ended by NUL.
  var printsKeysOnly = false
}

/// How URLs become keys.
struct KeySettings: Sendable {
  var ignoreQuery = false
  var ignoredParameters: [String] = []
  /// The key of the one URL, in place of what the URL gives.
  var key: String?

  var filter: KeyFilter {
    KeyFilter(ignoreQuery: ignoreQuery, ignoredParameters: ignoredParameters, replacement: key)
  }
}

/// Where images go, and what is done about those that fail.
struct OutputSettings: Sendable {
  /// What `-o` names.
  enum Destination: Hashable, Sendable {
    case standardOutput
    case file(String)

    /// Standard output has several names. Opened anew by one of them, it would have its own position in a file, and could be no socket.
    init(_ path: String) {
      let names = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
      self = names.contains(path) ? .standardOutput : .file(path)
    }
  }

  /// Nil: the working directory.
  var folder: String?
  var single: Destination?
  /// The template of `--name`, checked.
  var nameTemplate: String?
  /// False: existing files stay, and no request is made for them.
  var clobber = true
  /// Whether files of other images, from earlier runs, are replaced.
  var overwrite = false
  var placeholder: String?
  var remoteTime = false
  var failedList: String?
  var failFast = false
}

/// The proxy that requests go through.
enum ProxySetting: Hashable, Sendable {
  case none
  /// `--proxy`: for every request.
  case url(String)
  /// From the usual variables; at least one of the first three is set.
  case variables(http: String?, https: String?, all: String?, no: String?)

  /// What a message calls it; nil if there is none. The URL is left out, since it may hold a password.
  var description: String? {
    switch self {
    case .none: nil
    case .url: "a proxy (--proxy)"
    case .variables(let http, let https, _, _):
      "a proxy (\(http != nil ? "http_proxy" : https != nil ? "https_proxy" : "all_proxy") is set)"
    }
  }

  /// Where it was set.
  var origin: String {
    switch self {
    case .none, .url: "--proxy"
    case .variables(let http, let https, let all, _):
      [("http_proxy", http), ("https_proxy", https), ("all_proxy", all)].filter { $0.1 != nil }.map(\.0)
        .joined(separator: " or ")
    }
  }
}

/// Where credentials come from. Cookies that are given as text are in the fetcher's configuration already.
struct CredentialSettings: Sendable {
  var user: UserSetting?
  var usesNetrc = false
  /// The netrc file, once its path is known.
  var netrc: String?
  var bearerFile: String?
  var cookieJar: String?
}

/// What is printed about the images.
struct ReportSettings: Sendable {
  var ordered = false
  var isJSON = false
  var jsonHeaders = false
  var checksum = false
  /// The template of `--write-out`, its fields known to exist.
  var writeOut: String?
  /// Where `--report` has the rows written.
  var file: String?
  var printing = Choices.Printing.all
  /// Whether images that failed leave the exit code alone.
  var exitsZero = false
  var progress = Choices.Progress.auto

  /// Whether standard error is a stream of objects: a program that reads progress as JSON cannot read other lines between them.
  var hasJSONMessages: Bool { progress == .json }
}

/// How much is printed besides the results; every command takes it.
struct MessageSettings: Hashable, Sendable {
  var quiet = false
  /// How often `-v` was given.
  var verbosity = 0
  var color = Choices.Color.auto
}

extension CachePolicy {
  var usesDisk: Bool { self != .off && self != .memory }
}

extension ImageTransform {
  /// Whether the bytes that are delivered are the ones that came.
  var isIdentity: Bool { self == ImageTransform(background: background) }
}

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
