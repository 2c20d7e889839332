import ImgfetchCore

/// Where the images of a `get` are written: one object for the whole run, shared by its requests.
final class OutputFiles: Sendable {
  private let output: OutputFile
  /// With a `/` at its end; empty for the working directory.
  private let prefix: String
  private let setsTime: Bool
  private let keepsExisting: Bool
  private let overwrites: Bool
  private let clock: any Clock
  /// Warnings for the end of the run.
  let warnings = OutputWarnings()

  /// - Parameters:
  ///   - folder: the output folder; nil: the working directory.
  ///   - setsTime: whether files get the time of Last-Modified.
  ///   - keepsExisting: whether existing files are kept, whatever they hold (`--no-clobber`).
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

  /// The existing file of this name, with any accepted extension; nil if there is none, or if the name depends on the image's size.
  /// A dangling link counts, since it would be replaced. Another image's file does not count.
  func existing(_ name: ClaimedName) -> String? {
    output.existing(options(name)) { name.choice($0).candidates(in: prefix) }
  }

  /// A sink for one request.
  func sink(_ name: ClaimedName) -> FileSink { FileSink(place: self, name: name) }

  /// A file for an image whose name may depend on its bytes: the folder is what counts, and any on the same file system does.
  fileprivate func lend(for name: ClaimedName) -> LentFile? {
    let path = name.path(for: nil, in: prefix, choice: name.first)
    return output.lend(beside: path, makingFolder: false) ?? output.lend(beside: prefix + "image", makingFolder: true)
  }

  /// Writes an image under its name.
  fileprivate func write(
    _ image: DeliveredImage, as name: ClaimedName, for url: String
  ) throws(FetchError) -> Delivery {
    var options = options(name)
    if setsTime { options.modified = lastModified(image) }
    let written: OutputFile.Written
    do {
      written = try output.write(image.body, options) {
        name.path(for: image.facts, image.details, in: prefix, choice: $0)
      }
    } catch {
      throw FetchError(error, for: url)
    }
    warnings.note(written)
    return Delivery(output: written.path, isNew: written.outcome != .unchanged && written.outcome != .kept)
  }

  /// Writes the placeholder under a name, unless a file exists.
  func write(placeholder bytes: ImageBody, as name: ClaimedName) throws(FetchError) -> String? {
    if existing(name) != nil { return nil }
    var options = options(name)
    options.keepsExisting = true
    let written: OutputFile.Written
    do {
      written = try output.write(bytes, options) { name.path(for: nil, in: prefix, choice: $0) }
    } catch { throw FetchError(error, for: name.path(for: nil, in: prefix)) }
    return written.outcome == .kept ? nil : written.path
  }

  private func options(_ name: ClaimedName) -> OutputOptions {
    var options = OutputOptions(key: name.key)
    options.first = name.first
    options.holds = name.isMadeOfURL && !overwrites
    options.isRepeated = name.isRepeated
    options.keepsExisting = keepsExisting
    options.readsAll = overwrites
    return options
  }

  private func lastModified(_ image: DeliveredImage) -> WallTime? {
    image.fields.first("last-modified").flatMap { HTTPDate.parse($0, now: clock.wallTime()) }
  }
}

/// Writes one request's image to its file.
struct FileSink: LendingSink {
  fileprivate let place: OutputFiles
  let name: ClaimedName

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    try place.write(image, as: name, for: request.url.display)
  }

  func lend(for request: FetchRequest, atMost length: Int64?) -> LentFile? { place.lend(for: name) }
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
        // A reader such as `head` may stop early: the run ends without a message.
        whenClosed()
        throw FetchError(.cancelled, request.url.display, "standard output has lost its reader")
      }
      throw FetchError(error, for: request.url.display)
    }
    return Delivery(output: "-", isNew: true)
  }
}

extension FetchError {
  /// A damaged or unreadable cache entry is the cache's failure, and the image can be fetched again. Other failures concern the
  /// output file.
  init(_ failure: OutputFailure, for url: String) {
    switch failure {
    case .damaged, .source: self.init(.damaged, url, failure.reason, isTransient: true)
    case .file(let path, _), .isFolder(let path):
      self.init(.file, path, failure.reason, cause: Cause(errno: failure.code))
    }
  }
}

/// Decides where each line's image goes, in the order of the input. Used by the reading thread only.
struct OutputPlan {
  enum Target {
    /// Into the cache only.
    case nowhere
    case sink(any ImageSink, name: ClaimedName?)
    /// The file exists and is kept: no request is made.
    case kept(path: String)
  }

  private let files: OutputFiles
  /// Where images go instead, if that is a URL.
  private let place: PlaceFiles?
  private let single: OutputSettings.Destination?
  private let standardOutput: StandardOutputSink?
  private let isPrefetch: Bool
  private let clobbers: Bool
  private var names: OutputNames

  /// - Parameters:
  ///   - files: where files are written.
  ///   - place: where images go instead of into files; nil: nowhere else.
  ///   - standardOutput: where the bytes go with `-o -`.
  init(
    _ settings: OutputSettings, files: OutputFiles, place: PlaceFiles? = nil, standardOutput: StandardOutputSink?,
    isPrefetch: Bool
  ) {
    self.files = files
    self.place = place
    single = settings.single
    self.standardOutput = standardOutput
    self.isPrefetch = isPrefetch
    clobbers = settings.clobber
    names = OutputNames(template: settings.nameTemplate.map(OutputTemplate.init))
  }

  /// - Parameters:
  ///   - key: the cache key.
  ///   - number: the number of the line.
  ///   - isRepeated: for a deferred line, whether an earlier line has its name; nil for a line that was just read.
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
    if let place { return .sink(place.sink(name), name: name) }
    if !clobbers, let path = files.existing(name) { return .kept(path: path) }
    return .sink(files.sink(name), name: name)
  }
}

/// What the user should know about existing files in the output folders: counted, and printed once at the end.
final class OutputWarnings: Sendable {
  private struct State {
    /// How many names got a suffix because of existing files.
    var digits = 0
    /// How many files of unknown origin were replaced.
    var replaced = 0
    /// The first of them.
    var names: [String] = []
  }

  /// How many are named; the rest is counted.
  private static let namedLimit = 3

  private let state = Guarded(State())

  func note(_ written: OutputFile.Written) {
    note(written.path, hasNewDigits: written.hasNewDigits, hasReplacedUnknown: written.hasReplacedUnknown)
  }

  func note(_ path: String, hasNewDigits: Bool, hasReplacedUnknown: Bool) {
    // Nearly all outputs return here.
    guard hasNewDigits || hasReplacedUnknown else { return }
    state.withLock { state in
      if hasNewDigits { state.digits += 1 }
      guard hasReplacedUnknown else { return }
      state.replaced += 1
      if state.names.count < Self.namedLimit { state.names.append(path) }
    }
  }

  /// Complete sentences.
  var sentences: [String] {
    let (digits, replaced, names) = state.withLock { ($0.digits, $0.replaced, $0.names) }
    var sentences: [String] = []
    if digits > 0 {
      sentences.append(
        (digits == 1 ? "1 image was given a name with digits" : "\(digits) images were given names with digits")
          + ", since files of other URLs are there under the names without; where such URLs differ in a signature or a date only, "
          + "--key-ignore-param makes them one")
    }
    if replaced > 0 {
      let others = replaced - names.count
      let all = names.joined(separator: ", ") + (others > 0 ? " and \(others) more" : "")
      sentences.append(
        "\(all): replaced, though nothing told whose \(replaced == 1 ? "image that was" : "images those were") and the bytes were "
          + "others; --no-clobber keeps what is there")
    }
    return sentences
  }
}

/// `--failed-list`: the failed lines as given and, after an interrupted run, the lines that were not tried. It is the next run's
/// input.
///
/// The file is created only if there are such lines, readable by its owner only (URLs may contain credentials). It gets its name
/// when the run has ended, so that it may be the list that the run reads.
final class FailedList: Sendable {
  /// The result of closing the list.
  enum Ending {
    /// The list was written, or there was nothing to write.
    case fine
    case failed(FetchError)
    /// Nothing failed, and the existing file was not written by this program.
    case leftAlone(path: String)
  }

  private struct State: ~Copyable {
    var file: AtomicFile?
    var buffer: [UInt8] = []
    var failure: FetchError?
    /// The lines without an answer, by their numbers.
    var unanswered: [Int: [UInt8]] = [:]
    var hasLines = false
    var isClosed = false
  }

  private let path: String?
  /// The delimiter of records, the same as in the input.
  private let delimiter: UInt8
  private let state = Guarded(State())

  /// Large enough to keep system calls few.
  private static let bufferSize = 32 << 10

  init(path: String?, isNullEnded: Bool = false) {
    self.path = path
    delimiter = isNullEnded ? 0 : UInt8(ascii: "\n")
  }

  /// Begins a line. Until ``end(_:isFailure:)`` it counts as failed, since the run may be interrupted.
  ///
  /// - Parameter stem: the name it got, if that is to be kept with it.
  func begin(_ number: Int, _ line: some Sequence<UInt8>, stem: String? = nil) {
    guard path != nil else { return }
    let line = Array(line) + (stem.map { Array("\tstem=\($0)".utf8) } ?? [])
    state.withLock { $0.unanswered[number] = line }
  }

  /// Ends a line: it has an answer, or belongs to another shard.
  func end(_ number: Int, isFailure: Bool) {
    guard let path else { return }
    state.withLock { state in
      guard let line = state.unanswered.removeValue(forKey: number), isFailure else { return }
      add(line, to: &state, path)
    }
  }

  /// Adds a line that is not tried at all.
  func add(_ line: some Sequence<UInt8>) {
    guard let path else { return }
    state.withLock { add(line, to: &$0, path) }
  }

  private func add(_ line: some Sequence<UInt8>, to state: inout State, _ path: String) {
    if state.isClosed { return }
    state.hasLines = true
    state.buffer.append(contentsOf: line)
    state.buffer.append(delimiter)
    if state.buffer.count >= Self.bufferSize { write(&state, path) }
  }

  /// Writes the rest and gives the file its name. If nothing needs to be tried again, removes the list of an earlier run.
  ///
  /// - Parameters:
  ///   - isComplete: whether every line of the lists was read.
  ///   - unread: the lists that were read only in part. None of them is replaced, since the rest of it would be lost.
  func close(isComplete: Bool, unread: Set<FileStatus.Identity> = []) -> Ending {
    guard let path else { return .fine }
    return state.withLock { state in
      if state.isClosed { return state.failure.map { .failed($0) } ?? .fine }
      for (_, line) in state.unanswered.sorted(by: { $0.key < $1.key }) { add(line, to: &state, path) }
      state.unanswered = [:]
      state.isClosed = true
      if !state.hasLines { return isComplete ? removeEarlier(path) : .fine }
      if !state.buffer.isEmpty { write(&state, path) }
      if state.failure == nil, Self.isOne(of: unread, path) {
        state.failure = FetchError(.file, path, "this list could not be read to its end, and is left as it is")
      }
      if state.failure == nil {
        do throws(SystemError) { try state.file?.publish() } catch { state.failure = Self.failure(error, path) }
      }
      return state.failure.map { .failed($0) } ?? .fine
    }
  }

  private func write(_ state: inout State, _ path: String) {
    let lines = state.buffer
    state.buffer = []
    do throws(SystemError) {
      if state.file == nil {
        var file = try AtomicFile.create(path, mode: .ownersOnly)
        // A device or pipe is never removed and so needs no mark: its reader gets the lines only.
        if !file.isStream { try file.write((Self.mark + [delimiter]).span) }
        state.file = consume file
      }
      try state.file?.write(lines.span)
    } catch {
      state.failure = Self.failure(error, path)
    }
  }

  private static func isOne(of files: Set<FileStatus.Identity>, _ path: String) -> Bool {
    guard !files.isEmpty, let file = try? Descriptor.open(path, [.read, .nonBlocking]) else { return false }
    return (try? file.status().identity).map(files.contains) ?? false
  }

  private static func failure(_ error: SystemError, _ path: String) -> FetchError {
    FetchError(.file, path, "the list of failures cannot be written: \(error.code)")
  }
}

// The list of an earlier run.
extension FailedList {
  /// Why the list could not be written; nil: it can be. It is asked before anything is fetched: whether there will be one is known after
  /// hours.
  static func obstacle(_ path: String) -> FetchError? {
    if ProcessEnvironment.stream(named: path) != nil { return nil }
    do throws(SystemError) {
      let place = try AtomicFile.place(of: path)
      let kind = try place.folder.file.status(of: place.name)?.kind
      if AtomicFile.isStream(kind, in: place.folder.file) { return nil }
      if kind == .directory { throw SystemError(.open, .isDirectory) }
      _ = try TemporaryFile(in: place.folder, mode: AtomicFile.Mode.ownersOnly.rawValue)
      return nil
    } catch { return failure(error, path) }
  }

  /// Why the list cannot be written; nil if it can. A list that several shards read must not be replaced by one of them.
  static func objection(_ settings: Settings) -> String? {
    guard let path = settings.output.failedList, settings.list.shard != nil, let file = identity(path) else {
      return nil
    }
    guard settings.list.inputs.contains(where: { $0 != "-" && identity($0) == file }) else { return nil }
    return "--failed-list \(path): other shards read this list too, and their lines would be lost; name another file"
  }

  private static func identity(_ path: String) -> FileStatus.Identity? {
    guard let place = try? AtomicFile.place(of: path), let status = try? place.folder.file.status(of: place.name)
    else {
      return nil
    }
    return status.kind == .regular ? status.identity : nil
  }

  /// The first line: a comment for list readers, and the mark by which a later run knows that it may remove the file.
  static let mark = Array(
    "# imgfetch --failed-list: to be tried again. A run that has all of it removes this file.".utf8)

  /// Removes the list of an earlier run. Only the user can know whether any other file of that name is still needed.
  private func removeEarlier(_ path: String) -> Ending {
    if ProcessEnvironment.stream(named: path) != nil { return .fine }
    do throws(SystemError) {
      let place = try AtomicFile.place(of: path)
      guard let kind = try place.folder.file.status(of: place.name)?.kind else { return .fine }
      // A pipe or a device keeps nothing.
      if AtomicFile.isStream(kind, in: place.folder.file) { return .fine }
      guard kind == .regular else { return .leftAlone(path: path) }
      let file = try place.folder.file.open(place.name, [.read, .noFollow, .nonBlocking])
      let status = try file.status()
      if status.size == 0 { return .fine }
      var start: [UInt8] = []
      // The delimiter belongs to the mark: a run with another delimiter reads the whole file as one comment, and so has not tried
      // its lines.
      let mark = Self.mark + [delimiter]
      _ = try file.read(into: &start, count: mark.count, at: 0)
      guard start == mark, try place.folder.file.status(of: place.name)?.identity == status.identity else {
        return .leftAlone(path: path)
      }
      try place.folder.file.remove(place.name)
      return .fine
    } catch {
      switch error.code {
      case .noSuchFile, .notDirectory: return .fine
      case .accessDenied: return .leftAlone(path: path)
      default: break
      }
      return .failed(FetchError(.file, path, "the list of an earlier run cannot be removed: \(error.code)"))
    }
  }
}
