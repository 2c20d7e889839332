import ImgfetchCore
import ImgfetchDataSet
import ImgfetchShow

/// The settings of a command, with all defaults filled in. The row of each option in the table says which setting it
/// sets.
///
/// Settings of the library have the library's types.
struct Settings: Sendable {
  /// The fate of the images that are fetched.
  var product = Product.outputs
  /// The operands as typed: URLs, or the files of `inspect`.
  var operands: [String] = []
  var list = ListSettings()
  var find = FindSettings()
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
  /// The part of them to fetch, or nil for all.
  var part: ListPart?
  /// Reads the URLs in them.
  var urls = URLReader()

  /// True if there are lists, and each is a file, whose end does not wait for another program.
  var areFiles: Bool {
    !inputs.isEmpty && inputs.allSatisfy { $0 != "-" && (try? Descriptor.status(ofFile: $0))?.kind == .regular }
  }
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

  var filter: KeyFilter { KeyFilter(ignoreQuery: ignoreQuery, ignoredParameters: ignoredParameters, replacement: key) }
}

/// The files that `inspect` examines.
struct InspectionSettings: Sendable {
  /// True if files in folders are inspected.
  var isRecursive = false
}

/// The appearance of images in the terminal.
struct ShowSettings: Sendable {
  var picture = PictureChoice.auto
  /// The most columns and rows; nil for those of the window.
  var size: PixelSize?
  /// True if only the first picture of an animation is shown.
  var isStill = false
  /// True if images are shown side by side, small, with their names.
  var isGrid = false
  /// The colour behind transparent pixels; nil for the terminal's own background.
  var background: ImageTransform.Colour?
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

/// The settings for the rows of results, and for progress.
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

extension CachePolicy: Choice {}
extension RemoteCacheSettings.Mode: Choice {}
extension Resize.Fit: Choice {}
extension UsePurpose: Choice {}
extension PictureChoice: Choice {}

extension Verification: Choice {
  var word: String { name }
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

/// The address for connections to a host and port.
struct ResolveSetting: Hashable, Sendable, CustomStringConvertible {
  var host: String
  var port: Int
  var address: String

  var description: String { "\(host):\(port):\(address)" }
}
