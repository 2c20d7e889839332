import ImgfetchCore

/// Where each line's image goes, decided in the order of the input. Owned by the thread that reads it.
struct OutputPlan {
  enum Place {
    /// Into the cache only.
    case nowhere
    case sink(any ImageSink, name: OutputName?)
    /// There is a file of that name, and it is to stay: nothing is asked for.
    case kept(path: String)
  }

  private let files: OutputPlace
  private let single: OutputSettings.Destination?
  private let standardOutput: StandardOutputSink?
  private let isPrefetch: Bool
  private let clobbers: Bool
  private var names: OutputNames

  /// - Parameter standardOutput: where the bytes go under `-o -`.
  init(_ settings: OutputSettings, standardOutput: StandardOutputSink?, isPrefetch: Bool) {
    single = settings.single
    self.standardOutput = standardOutput
    self.isPrefetch = isPrefetch
    clobbers = settings.clobber
    files = OutputPlace(folder: settings.folder, setsTime: settings.remoteTime, keepsExisting: !settings.clobber)
    names = OutputNames(template: settings.nameTemplate.map(OutputTemplate.init))
  }

  mutating func place(_ url: WebURL, keyHash: ContentHash, line: InputLine, number: Int) -> Place {
    if isPrefetch { return .nowhere }
    let name: OutputName
    switch single {
    case .standardOutput:
      guard let standardOutput else { return .nowhere }
      return .sink(standardOutput, name: nil)
    case .file(let path): name = OutputName(exactly: path)
    case nil: name = names.name(for: NameSource(url, keyHash: keyHash, index: number), given: line.name)
    }
    if !clobbers, let path = files.existing(name) { return .kept(path: path) }
    return .sink(files.sink(name), name: name)
  }

  /// What writes a placeholder where there is no image.
  var places: OutputPlace { files }
}
