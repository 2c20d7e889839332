import ImgfetchCore

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
  /// The place for images, if the output folder is a URL.
  private let place: PlaceFiles?
  private let single: OutputSettings.Destination?
  private let standardOutput: (any ImageSink)?
  /// False if images go into the cache only, or into a data set.
  private let hasOutputs: Bool
  private let clobbers: Bool
  /// True if nothing is written.
  private let isDryRun: Bool
  private var names: OutputNames
  /// The day on which the run began.
  private let date: String

  /// - Parameters:
  ///   - files: The output files.
  ///   - place: The place that gets images instead of files; nil if there is none.
  ///   - standardOutput: The sink that gets the bytes with `-o -`.
  init(
    _ settings: Settings, files: OutputFiles, place: PlaceFiles? = nil, standardOutput: (any ImageSink)?
  ) {
    self.files = files
    self.place = place
    single = settings.output.single
    self.standardOutput = standardOutput
    hasOutputs = settings.product == .outputs
    isDryRun = settings.cache.isDryRun
    clobbers = settings.output.clobber
    // The time zone is read from files.
    let template = settings.output.nameTemplate
    date = template?.holds("{date") == true ? SystemClock().wallTime().localDay : ""
    let hasFolder = hasOutputs && place == nil && single == nil
    names = OutputNames(
      template: template.map(OutputTemplate.init), foldsCase: hasFolder && files.foldsCase(mayWrite: !isDryRun))
  }

  /// Places an image.
  ///
  /// - Parameters:
  ///   - key: the cache key.
  ///   - number: the number of the line.
  ///   - isRepeated: for a deferred line, true if an earlier line has its name; nil for a line that was just read.
  mutating func place(
    _ url: WebURL, key: String, keyHash: ContentHash, line: InputLine, number: Int, isRepeated: Bool? = nil
  ) -> Target {
    guard hasOutputs else { return .nowhere }
    var name: ClaimedName
    switch single {
    case .standardOutput:
      guard let standardOutput, !isDryRun else { return .nowhere }
      return .sink(standardOutput, name: nil)
    case .file(let path):
      name = ClaimedName(
        OutputName(exactly: path), NameSource(url, key: key, keyHash: keyHash, index: number))
    case nil: name = claim(url, key: key, keyHash: keyHash, line: line, number: number)
    }
    if let isRepeated { name.isRepeated = isRepeated }
    if let place { return .sink(isDryRun ? place.foreseeingSink(name) : place.sink(name), name: name) }
    if !clobbers, let path = files.existing(name) { return .kept(path: path) }
    return .sink(isDryRun ? ForeseeingSink(files: files, name: name) : files.sink(name), name: name)
  }

  /// Claims the name of an image of another part of the list, so that the folders of all parts can be put together:
  /// each image has the name there that it has in a run of the whole list.
  mutating func pass(_ url: WebURL, key: String, keyHash: ContentHash, line: InputLine, number: Int) {
    guard hasOutputs, single == nil else { return }
    _ = claim(url, key: key, keyHash: keyHash, line: line, number: number)
  }

  private mutating func claim(
    _ url: WebURL, key: String, keyHash: ContentHash, line: InputLine, number: Int
  ) -> ClaimedName {
    names.name(
      for: NameSource(
        url, key: key, keyHash: keyHash, index: number, line: line.tag.number, id: line.tag.id, date: date),
      given: line.name, stem: line.stem)
  }
}
