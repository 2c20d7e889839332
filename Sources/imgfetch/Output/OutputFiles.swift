import ImgfetchCore

/// Where the images of a `get` go: one for the whole run, shared by all its requests.
final class OutputFiles: Sendable {
  private let output: OutputFile
  /// With a `/` at its end; empty for the working directory.
  private let prefix: String
  private let setsTime: Bool
  private let keepsExisting: Bool
  private let overwrites: Bool
  private let clock: any Clock
  /// What its owner should know of them in the end.
  let notices = OutputWarnings()

  /// - Parameters:
  ///   - folder: the output folder; nil: the working directory.
  ///   - setsTime: whether files get the time of Last-Modified.
  ///   - keepsExisting: whether a file that is there is kept, whatever it holds (`--no-clobber`).
  ///   - overwrites: whether files of other images, from earlier runs, are replaced (`--overwrite`).
  init(
    folder: String?, setsTime: Bool = false, keepsExisting: Bool = false, overwrites: Bool = false,
    clock: any Clock = SystemClock()
  ) {
    output = OutputFile(folders: OutputFolders())
    prefix = folder.map { $0.hasSuffix("/") || $0.isEmpty ? $0 : $0 + "/" } ?? ""
    self.setsTime = setsTime
    self.keepsExisting = keepsExisting
    self.overwrites = overwrites
    self.clock = clock
  }

  /// The file that is there already for this name, with any accepted extension; nil if there is none, or only the image's size
  /// tells its name. What has the name counts, also a link that leads nowhere: it would be replaced. Another image's file does not.
  func existing(_ name: ClaimedName) -> String? {
    output.existing(wish(name)) { name.choice($0).candidates(in: prefix) }
  }

  /// A sink for one request.
  func sink(_ name: ClaimedName) -> FileSink { FileSink(place: self, name: name) }

  /// Writes an image under its name.
  fileprivate func write(
    _ image: DeliveredImage, as name: ClaimedName, for url: String
  ) throws(FetchError) -> Delivery {
    var wish = wish(name)
    if setsTime { wish.modified = lastModified(image) }
    let written: OutputFile.Written
    do {
      written = try output.write(image.body, wish) { name.path(for: image.facts, in: prefix, choice: $0) }
    } catch {
      throw FetchError(error, for: url)
    }
    notices.note(written)
    return Delivery(output: written.path, isNew: written.outcome != .unchanged && written.outcome != .kept)
  }

  /// Writes some bytes under a name, as `--placeholder` does where there is no image, unless a file is there.
  func write(placeholder bytes: ImageBody, as name: ClaimedName) throws(FetchError) -> String? {
    if existing(name) != nil { return nil }
    var wish = wish(name)
    wish.keepsExisting = true
    let written: OutputFile.Written
    do {
      written = try output.write(bytes, wish) { name.path(for: nil, in: prefix, choice: $0) }
    } catch { throw FetchError(error, for: name.path(for: nil, in: prefix)) }
    return written.outcome == .kept ? nil : written.path
  }

  private func wish(_ name: ClaimedName) -> OutputWish {
    var wish = OutputWish(key: name.key)
    wish.first = name.first
    wish.holds = name.isMadeOfURL && !overwrites
    wish.isRepeated = name.isRepeated
    wish.keepsExisting = keepsExisting
    return wish
  }

  private func lastModified(_ image: DeliveredImage) -> WallTime? {
    image.fields.first("last-modified").flatMap { HTTPDate.parse($0, now: clock.wallTime()) }
  }
}

/// Writes one request's image to its file.
struct FileSink: ImageSink {
  fileprivate let place: OutputFiles
  let name: ClaimedName

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    try place.write(image, as: name, for: request.url.display)
  }
}

/// Writes images to standard output (`-o -`): the bytes and nothing else.
struct StandardOutputSink: ImageSink {
  private let stream: SharedDescriptor
  private let whenClosed: @Sendable () -> Void

  /// - Parameter whenClosed: called when the stream has lost its reader.
  init(_ stream: SharedDescriptor, whenClosed: @escaping @Sendable () -> Void) {
    self.stream = stream
    self.whenClosed = whenClosed
  }

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    do { try OutputStream.write(image.body, to: stream.file, named: "standard output") } catch {
      if case .file(_, .brokenPipe) = error {
        // A reader such as `head` has seen enough: the run ends, and nothing is said.
        whenClosed()
        throw FetchError(.cancelled, request.url.display, "standard output has lost its reader")
      }
      throw FetchError(error, for: request.url.display)
    }
    return Delivery(output: "-", isNew: true)
  }
}

extension FetchError {
  /// A stored image that turns out damaged, or cannot be read, is the cache's failure, and can be had anew; all else is the file's.
  init(_ failure: OutputFailure, for url: String) {
    switch failure {
    case .damaged, .source: self.init(.damaged, url, failure.reason, isTransient: true)
    case .file(let path, _), .isFolder(let path): self.init(.file, path, failure.reason)
    }
  }
}

/// Where each line's image goes, decided in the order of the input. Owned by the thread that reads it.
struct OutputPlan {
  enum Target {
    /// Into the cache only.
    case nowhere
    case sink(any ImageSink, name: ClaimedName?)
    /// There is a file of that name, and it is to stay: nothing is asked for.
    case kept(path: String)
  }

  private let files: OutputFiles
  private let single: OutputSettings.Destination?
  private let standardOutput: StandardOutputSink?
  private let isPrefetch: Bool
  private let clobbers: Bool
  private var names: OutputNames

  /// - Parameters:
  ///   - files: where files go.
  ///   - standardOutput: where the bytes go under `-o -`.
  init(_ settings: OutputSettings, files: OutputFiles, standardOutput: StandardOutputSink?, isPrefetch: Bool) {
    self.files = files
    single = settings.single
    self.standardOutput = standardOutput
    self.isPrefetch = isPrefetch
    clobbers = settings.clobber
    names = OutputNames(template: settings.nameTemplate.map(OutputTemplate.init))
  }

  /// - Parameters:
  ///   - key: the cache key.
  ///   - number: which line it is.
  ///   - isRepeated: of a line that comes a second time, whether another one had its name before it did; nil: it comes for the first.
  mutating func place(
    _ url: WebURL, key: String, keyHash: ContentHash, line: InputLine, number: Int, isRepeated: Bool? = nil
  ) -> Target {
    if isPrefetch { return .nowhere }
    var name: ClaimedName
    switch single {
    case .standardOutput:
      guard let standardOutput else { return .nowhere }
      return .sink(standardOutput, name: nil)
    case .file(let path):
      name = ClaimedName(OutputName(exactly: path), hash: keyHash, key: OutputKey(of: key))
    case nil:
      name = names.name(
        for: NameSource(url, keyHash: keyHash, key: OutputKey(of: key), index: number), given: line.name,
        stem: line.stem)
    }
    if let isRepeated { name.isRepeated = isRepeated }
    if !clobbers, let path = files.existing(name) { return .kept(path: path) }
    return .sink(files.sink(name), name: name)
  }
}

/// What a run's outputs met in their folders that its owner should know: counted, and said once at the end.
final class OutputWarnings: Sendable {
  private struct State {
    /// How many names got digits because of files that were there.
    var digits = 0
    /// How many files were replaced of which nothing told whose they were.
    var replaced = 0
    /// The first of those.
    var names: [String] = []
  }

  /// So many are named; the others are counted.
  private static let namedLimit = 3

  private let state = Guarded(State())

  func note(_ written: OutputFile.Written) {
    // As nearly all are.
    guard written.hasNewDigits || written.hasReplacedUnknown else { return }
    state.withLock { state in
      if written.hasNewDigits { state.digits += 1 }
      guard written.hasReplacedUnknown else { return }
      state.replaced += 1
      if state.names.count < Self.namedLimit { state.names.append(written.path) }
    }
  }

  /// In whole sentences.
  var warnings: [String] {
    let (digits, replaced, names) = state.withLock { ($0.digits, $0.replaced, $0.names) }
    var warnings: [String] = []
    if digits > 0 {
      warnings.append(
        (digits == 1 ? "1 image was given a name with digits" : "\(digits) images were given names with digits")
          + ", since files of other URLs are there under the names without; where such URLs differ in a signature or a date only, "
          + "--key-ignore-param makes them one")
    }
    if replaced > 0 {
      let others = replaced - names.count
      let all = names.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
      warnings.append(
        "\(all): replaced, though nothing told whose \(replaced == 1 ? "image that was" : "images those were") and the bytes were "
          + "others; --no-clobber keeps what is there")
    }
    return warnings
  }
}
