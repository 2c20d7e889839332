import ImgfetchCore

/// The settings of a command, with all defaults filled in. The row of each option in the table says which setting it
/// sets.
///
/// Settings of the library have the library's types.
struct Settings: Sendable {
  /// The operands as typed: URLs, or the files of `inspect`.
  var operands: [String] = []
  var list = ListSettings()
  var find = FindSettings()
  /// The options of each request.
  var fetch = FetchOptions()
  /// The options of all requests. Without a cache folder there is no disk cache.
  var fetcher: Fetcher.Configuration = {
    var configuration = Fetcher.Configuration()
    configuration.isForOneRun = true
    return configuration
  }()
  var cache = CacheSettings()
  var remoteCache = RemoteSettings()
  var output = OutputSettings()
  var dataSet = DataSetSettings()
  var show = ShowSettings()
  var inspection = InspectionSettings()
  var rows = RowSettings()
  /// Further URLs of the same image.
  var mirrors: [WebURL] = []
  var proxy = ProxySetting.none
  var credentials = CredentialSettings()
  /// True if pixels are decoded in a sandboxed process.
  var isSandboxed = true
  /// The transform of delivered images.
  var transform = ImageTransform()
  /// The way in which an image fits the box of `--resize`.
  var fit = Resize.Fit.down
  /// True if the box of `--resize` is filled.
  var pads = false
  var report = ReportSettings()
  var messages = MessageSettings()

  /// Stands in for no time limit, in seconds.
  static let forever: Double = 1e9
}

/// The lists of images to fetch, in addition to the operands.
struct ListSettings: Sendable {
  /// The lists, in order; `-` is standard input.
  var inputs: [String] = []
  /// True if records end in NUL instead of a line break.
  var isNullEnded = false
  var format = Choices.ListFormat.lines
  var columns = ListColumns()
  /// The most bytes of a list at a URL.
  var maximum: Int64 = 1 << 30
  var shard: Shard?
  /// Reads the URLs in them.
  var urls = URLReader()
}

/// The columns of a table that mean something, by their names.
struct ListColumns: Hashable, Sendable {
  /// The column of URLs; nil for `url` in any case, else the column that holds URLs.
  var url: String?
  /// The column of captions; nil for `caption`, if there is one.
  var caption: String?
  /// The column of identifiers; nil for `id`, if there is one.
  var id: String?
  /// The column of the sums that images must have; nil if none is checked.
  var hash: String?
  /// Conditions that a record must meet.
  var filters: [ColumnFilter] = []
  /// True if all other columns go into the row, under their names.
  var goAlong = false

  /// The columns that must be there, besides that of URLs.
  var named: [String] { [caption, id, hash].compactMap(\.self) + filters.map(\.column) }
}

/// The settings of the program for the cache.
struct CacheSettings: Sendable {
  var keys = KeySettings()
  var maxSize = 0
  /// The limit on the size; nil if there is none.
  var sizeLimit: Int64? { maxSize == 0 ? nil : Int64(maxSize) }
  var autoClean = true
  /// `cache size`: whether entries are counted instead of reading the ledger.
  var isExact = false
  /// `cache clean`: true if it only reports the files that it would remove.
  var isDryRun = false
  /// `cache verify`: whether damaged entries are removed.
  var repairs = false
  /// `cache list`: whether only keys are printed, each followed by NUL.
  var printsKeysOnly = false
  /// The order of `cache list`; nil for entries as they are found.
  var order: Choices.EntryOrder?
}

/// The address of objects: a folder of a web server, or `s3://BUCKET/PREFIX`, for which an account is needed.
enum StoreAddress: Sendable {
  case web(WebURL)
  case bucket(String)

  /// True if the name of a list or a folder is a URL, and not a file's.
  static func isURL(_ name: String) -> Bool { name.holds("://") }
}

/// The cache that several machines share.
struct RemoteSettings: Sendable {
  var address: StoreAddress?
  var mode = RemoteCacheSettings.Mode.both
  /// The time limit of a request to it, in seconds.
  var timeout = 0.0
  /// The time that the end of a run waits for uploads, in seconds.
  var wait = 0.0

  /// The fetcher's settings for the remote cache; nil if there is none.
  func cache(_ account: () throws(URLFailure) -> S3Account) throws(URLFailure) -> RemoteCacheSettings? {
    let url: WebURL
    switch address {
    case nil: return nil
    case .web(let given)?: url = given
    case .bucket(let text)?: url = try account().url(text)
    }
    var cache = RemoteCacheSettings(url: url, mode: mode)
    cache.timeout = .lasting(timeout)
    // Half a second by default: a store is near, or it is of no use.
    cache.connectTimeout = .lasting(timeout / 4)
    return cache
  }
}

/// The rules that make cache keys of URLs.
struct KeySettings: Sendable {
  var ignoreQuery = false
  var ignoredParameters: [String] = []
  /// The key to use instead of the URL's, for one URL.
  var key: String?

  var filter: KeyFilter {
    KeyFilter(ignoreQuery: ignoreQuery, ignoredParameters: ignoredParameters, replacement: key)
  }
}

/// The contents of a data set.
struct DataSetSettings: Sendable {
  /// Lines of a shard.
  var perShard = 10_000
  var shardBy = Choices.Sharding.lines
  /// The part of a shard's lines that may fail for a passing reason.
  var mostTransient = 0.05
  /// The part of the lines that may make no sense.
  var mostInvalid = 0.01
  var obeysRobotsTag = true
  /// True if a last shard that has fewer records than its list has now is made anew.
  var extends = false
  /// True if counts are put beside each shard.
  var hasStatistics = false
  /// The use that the images are for.
  var purpose = UsePurpose.any
  /// True if `noindex` and `noimageindex` keep an image out, too.
  var refusesNoIndex = false
  var printsRows = false
  /// True if the failed lines of existing shards are tried once more.
  var isAgain = false
  /// Hosts that several parts share.
  var splitHosts: [String] = []
  /// The extension of all images; nil for that of each one's format.
  var memberExtension: String?
}

/// The files that `inspect` examines.
struct InspectionSettings: Sendable {
  /// True if files in folders are inspected.
  var isRecursive = false
}

/// The appearance of images in the terminal.
struct ShowSettings: Sendable {
  var picture = Choices.Picture.auto
  /// The most columns and rows; nil for those of the window.
  var size: PixelSize?
  /// True if only the first picture of an animation is shown.
  var isStill = false
  /// The colour behind transparent pixels; nil for the terminal's own background.
  var background: ImageTransform.Colour?
}

/// The outputs of images, and the handling of failures.
struct OutputSettings: Sendable {
  /// The value of `-o`.
  enum Destination: Hashable, Sendable {
    case standardOutput
    case file(String)

    init(_ path: String) {
      self = ProcessEnvironment.stream(named: path) == 1 ? .standardOutput : .file(path)
    }
  }

  /// The output folder; nil for the working directory.
  var folder: String?
  /// The place of the outputs if the folder is a URL, once the account is known: a folder of a web server, or of a
  /// bucket.
  var place: WebURL?
  var single: Destination?
  /// The checked template of `--name`.
  var nameTemplate: String?
  /// True if existing files may be replaced. If not, no request is made for them.
  var clobber = true
  /// True if files of other images, from earlier runs, are replaced.
  var overwrite = false
  /// True if files that have the wanted bytes already become this program's.
  var adopts = false
  var placeholder: String?
  var remoteTime = false
  /// True if files get attributes with their origin (`--xattr`).
  var setsAttributes = false
  /// True if a file gets the name that the server suggests (`--content-disposition`).
  var takesServersName = false
  /// The limit on removing files that no line wants; nil if none is removed.
  var prune: Choices.PruneLimit?
  var failedList: String?
  var failFast = false
}

/// The proxy that requests go through.
enum ProxySetting: Hashable, Sendable {
  case none
  /// `--proxy`: for every request.
  case url(String)
  /// The values of the usual variables; at least one of the first three is set.
  case variables(http: String?, https: String?, all: String?, no: String?)

  /// The proxy's name in messages; nil if there is none. Without the URL, which may contain a password.
  var description: String? {
    switch self {
    case .none: nil
    case .url: "a proxy (--proxy)"
    case .variables(let http, let https, _, _):
      "a proxy (\(http != nil ? "http_proxy" : https != nil ? "https_proxy" : "all_proxy") is set)"
    }
  }

  /// The option or the variables that set the proxy.
  var origin: String {
    switch self {
    case .none, .url: "--proxy"
    case .variables(let http, let https, let all, _):
      [("http_proxy", http), ("https_proxy", https), ("all_proxy", all)].filter { $0.1 != nil }.map(\.0)
        .joined(separator: " or ")
    }
  }
}

/// The sources of credentials. Cookies given as text are already in the fetcher's configuration.
struct CredentialSettings: Sendable {
  var user: UserSetting?
  var usesNetrc = false
  /// The netrc file, once its path is known.
  var netrc: String?
  var bearerFile: String?
  var cookieJar: String?
  /// The client certificate, for the origin of the run's first URL.
  var certificate: String?
  var certificateKey: String?
  /// The credentials for stores that are the user's own.
  var storeBearerFile: String?
  var storeCertificate: String?
  var storeKey: String?
}

/// The settings for results.
struct ReportSettings: Sendable {
  /// True if the picture that is coming shows above the progress bars.
  var showsPreview = false
  var ordered = false
  var isJSON = false
  /// True if each row is followed by its image's bytes.
  var isFramed = false
  var jsonHeaders = false
  var checksum = false
  /// The checked template of `--write-out`.
  var writeOut: String?
  /// The file of `--report`.
  var file: String?
  var printing = Choices.Printing.all
  /// True if failed images do not affect the exit code.
  var exitsZero = false
  var progress = Choices.Progress.auto

  /// True if messages on standard error are JSON objects: a program that reads progress as JSON cannot read other lines
  /// between them.
  var hasJSONMessages: Bool { progress == .json }
}

extension OutputSettings {
  /// True if all images go to standard output, each behind its row.
  func isFramed(_ report: ReportSettings) -> Bool { report.isFramed && single == .standardOutput }
}

/// The settings for messages. Every command has them.
struct MessageSettings: Hashable, Sendable {
  var quiet = false
  /// The number of times that `-v` was given.
  var verbosity = 0
  var color = Choices.Color.auto
}

extension CachePolicy {
  var usesDisk: Bool { self != .off && self != .memory }
}

/// A value that is one of a few words. Help, completions and errors list them.
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
extension RemoteCacheSettings.Mode: Choice {}
extension Resize.Fit: Choice {}
extension UsePurpose: Choice {}

extension Verification: Choice {
  var word: String { name }
}

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

  /// `--picture`: how a terminal is given pictures.
  enum Picture: String, Choice { case auto, kitty, iterm, sixel, blocks }

  /// `--list-format`: what the records of a list are.
  enum ListFormat: String, Choice { case lines, tsv, csv, jsonl }

  /// `--sort`: the order of a list of entries.
  enum EntryOrder: String, Choice { case key, size, stored, used }

  /// `--color`.
  enum Color: String, Choice { case auto, always, never }

  /// `completions`.
  enum Shell: String, Choice { case bash, zsh, fish }
}

/// The subjects of `help` beside commands, each of which concerns several options.
enum HelpPage: String, Choice { case names, caches, exit, lists, retry }

/// The pages of the manual.
enum ManualPage: String, Choice {
  case imgfetch = "imgfetch.1"
  case get = "imgfetch-get.1"
  case show = "imgfetch-show.1"
  case find = "imgfetch-find.1"
  case recipes = "imgfetch-recipes.7"
  case pack = "imgfetch-pack.1"
  case report = "imgfetch-report.1"
  case cache = "imgfetch-cache.1"
  case inspect = "imgfetch-inspect.1"
  case config = "imgfetch-config.5"
  case lists = "imgfetch-lists.5"
  case rows = "imgfetch-rows.5"
  case caching = "imgfetch-caching.7"
  case files = "imgfetch-files.7"
  case network = "imgfetch-network.7"
  case remote = "imgfetch-remote.7"
  case fleet = "imgfetch-fleet.7"
  case upgrading = "imgfetch-upgrading.7"
  case python = "imgfetch-python.7"
}

/// Part `index` (from 1) of `count`.
struct Shard: Hashable, Sendable {
  var index: Int
  var count: Int

  /// True if a key falls into this part. Every machine gives the same answer, for any order of the list, and each key
  /// is in exactly one part.
  func contains(_ keyHash: ContentHash) -> Bool {
    // The low half, because the high one selects the entry's folder, and each part should fill all folders evenly.
    count <= 1 || Int(keyHash.low % UInt64(count)) == index - 1
  }
}

extension Settings {
  /// True if requests name more than this program as their sender.
  var namesItself: Bool {
    fetcher.contact != nil || fetcher.userAgent != nil
      || fetch.headers.contains { $0.name.lowercased() == "user-agent" }
  }
}

/// A number of requests in a number of nanoseconds.
struct RequestRate: Hashable, Sendable {
  var requests: Int
  var nanoseconds: Int64

  var perSecond: Double { Double(requests) * 1e9 / Double(max(1, nanoseconds)) }
}

/// A header field to send or to leave out.
struct HeaderSetting: Hashable, Sendable {
  var name: String
  /// The value to send; nil to leave out a field that would be sent by default.
  var value: String?
}

/// A name, with a password if one was given.
struct UserSetting: Hashable, Sendable {
  var name: String
  /// The password; nil to ask the user.
  var password: String?
}

/// The address for connections to a host and port.
struct ResolveSetting: Hashable, Sendable, CustomStringConvertible {
  var host: String
  var port: Int
  var address: String

  var description: String { "\(host):\(port):\(address)" }
}
