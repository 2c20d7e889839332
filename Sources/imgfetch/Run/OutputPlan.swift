import ImgfetchCore

/// Where each line's image goes, decided in the order of the input. Owned by the thread that reads it.
struct OutputPlan {
  enum Place {
    /// Into the cache only.
    case nowhere
    case sink(any ImageSink, name: ClaimedName?)
    /// There is a file of that name, and it is to stay: nothing is asked for.
    case kept(path: String)
  }

  private let files: OutputPlace
  private let single: OutputSettings.Destination?
  private let standardOutput: StandardOutputSink?
  private let isPrefetch: Bool
  private let clobbers: Bool
  private var names: OutputNames

  /// - Parameters:
  ///   - files: where files go.
  ///   - standardOutput: where the bytes go under `-o -`.
  init(_ settings: OutputSettings, files: OutputPlace, standardOutput: StandardOutputSink?, isPrefetch: Bool) {
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
  ) -> Place {
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
