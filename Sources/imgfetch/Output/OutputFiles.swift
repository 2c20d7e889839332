import ImgfetchCore

/// The output files of a `get`: one object for the whole run, shared by its requests.
final class OutputFiles: Sendable {
  private let output: OutputFile
  /// The output folder with a `/` at its end; empty for the working directory.
  private let prefix: String
  private let settings: OutputSettings
  private let serverNames: ServerNames
  private let placeholder: Placeholder?
  /// The names in the output folders, or nil if each is looked for.
  private let stems: ListedStems?
  private let clock: any Clock
  /// Warnings for the end of the run.
  let warnings = OutputWarnings()

  /// - Parameters:
  ///   - folder: The output folder; nil for the working directory.
  ///   - isNamed: True if the user has named the file itself, with its folders.
  ///   - makesFolders: True if missing folders are made.
  ///   - placeholder: The image that is written in place of images that failed.
  ///   - listsFolders: True if existing files may be looked for in a listing, since the run has an end that is near.
  init(
    folder: String?, _ settings: OutputSettings = OutputSettings(), isNamed: Bool = false, makesFolders: Bool = true,
    placeholder: Placeholder? = nil, listsFolders: Bool = false, clock: any Clock = SystemClock()
  ) {
    stems = listsFolders && !settings.clobber && !isNamed ? ListedStems() : nil
    prefix = folder.map { $0.endsInSlash || $0.isEmpty ? $0 : $0 + "/" } ?? ""
    output = OutputFile(folders: OutputFolders(below: isNamed ? nil : prefix, makesMissing: makesFolders))
    self.settings = settings
    serverNames = ServerNames(settings)
    self.placeholder = placeholder
    self.clock = clock
  }

  /// The existing file of this name, with any accepted extension; nil if there is none, or if the name depends on the
  /// image's size. A dangling link counts. Another image's file does not count, and neither does a placeholder.
  func existing(_ name: ClaimedName) -> String? {
    if settings.takesServersName && name.mayBeRenamed { return nil }
    return output.existing(options(name)) { number in
      let choice = name.choice(number)
      if let stems, let stem = choice.listedStem, stems.lacks(prefix + stem) { return [] }
      return choice.candidates(in: prefix, capitals: true)
    }
  }

  /// True if names that differ in their case only are one file in the output folder.
  func foldsCase(mayWrite: Bool) -> Bool { CaseFolding.isDone(in: prefix, mayWrite: mayWrite) }

  /// A sink for one request.
  func sink(_ name: ClaimedName) -> FileSink { FileSink(place: self, name: name) }

  /// A file for an image whose name may depend on its bytes. Only the folder matters, and any folder on the same file
  /// system will do.
  func lend(for name: ClaimedName) -> LentFile? {
    let path = name.path(for: nil, in: prefix, choice: name.first)
    return output.lend(beside: path, makingFolder: false) ?? output.lend(beside: prefix + "image", makingFolder: true)
  }

  /// The file under that name that was made from the same origin, unchanged since; nil if there is none, or if all
  /// files are compared.
  func standing(_ origin: OutputOrigin, _ facts: ImageFacts, of name: ClaimedName) -> ImageBody? {
    if settings.overwrite { return nil }
    return output.standing(origin, options(name)) { name.path(for: facts, in: prefix, choice: $0) }
  }

  func write(_ image: DeliveredImage, as claimed: ClaimedName, for url: String) throws(FetchError) -> Delivery {
    let name = name(claimed, of: image)
    var options = options(name)
    describe(image, &options)
    keepDigits(of: image, name, &options)
    let digest = try name.name.digest(of: image.body, for: url)
    let written: OutputFile.Written
    do {
      written = try output.write(image.body, options) {
        name.path(for: image.facts, image.details, digest: digest, in: prefix, choice: $0)
      }
    } catch {
      throw FetchError(error, for: url)
    }
    warnings.note(written)
    stems?.add(written.path)
    if written.outcome == .created || written.outcome == .replaced {
      if name.name.lies(about: image.facts?.format) { warnings.noteLyingExtension(written.path) }
      removeVoid(image, written, name, options)
    }
    return Delivery(output: written.path, written: written.outcome.change)
  }

  /// Returns the delivery that ``write(_:as:for:)`` would make.
  func foresee(_ image: DeliveredImage, as claimed: ClaimedName, for url: String) throws(FetchError) -> Delivery {
    let name = name(claimed, of: image)
    var options = options(name)
    describe(image, &options)
    keepDigits(of: image, name, &options)
    let digest = try name.name.digest(of: image.body, for: url)
    do {
      let written = try output.foresee(image.body, options) {
        name.path(for: image.facts, image.details, digest: digest, in: prefix, choice: $0)
      }
      var outcome = written.outcome
      // An earlier line of this run writes it.
      if claimed.isRepeated, outcome == .created || outcome == .replaced {
        outcome = settings.clobber ? .unchanged : .kept
      }
      return Delivery(output: written.path, written: outcome.change)
    } catch { throw FetchError(error, for: url) }
  }

  /// The path of an image that has not come: that of the file that it has by now, or of the name that it will get.
  ///
  /// - Parameter format: the format that it will be made into; nil if that is not known.
  func path(_ name: ClaimedName, becoming format: ImageFormat?) -> String {
    let expected = output.expected(options(name)) { name.choice($0).candidates(in: prefix) }
    return expected.path ?? name.choice(expected.choice).path(becoming: format, in: prefix)
  }

  private func name(_ claimed: ClaimedName, of image: DeliveredImage) -> ClaimedName {
    serverNames.name(claimed, of: image) { name in
      output.ownChoice(options(name)) { name.path(for: image.facts, in: prefix, choice: $0) }
    }
  }

  private func describe(_ image: DeliveredImage, _ options: inout OutputOptions) {
    if settings.remoteTime { options.modified = lastModified(image) }
    options.earlier = image.history.earlier
    if let origin = image.history.origin { options.nature = .derived(origin) }
    guard settings.setsAttributes else { return }
    options.attributes.append(("user.xdg.origin.url", Array(WebURL.withoutUserInfo(image.history.finalURL).utf8)))
    if let type = image.facts?.format.mime ?? image.fields.first("content-type") {
      options.attributes.append(("user.mime_type", Array(type.utf8)))
    }
  }

  /// Keeps the digits that the name of an image has that comes in another format now: its plain name belongs to another
  /// image, whose file may have another extension. Where names hold for one run only, the next line of the image would
  /// not find them.
  private func keepDigits(of image: DeliveredImage, _ name: ClaimedName, _ options: inout OutputOptions) {
    guard options.replaces == .own, let earlier = image.history.superseded, earlier.facts.format != image.facts?.format,
      let choice = output.ownChoice(options, path: { name.path(for: earlier.facts, in: prefix, choice: $0) })
    else { return }
    options.first = max(options.first, choice)
  }

  /// Removes what the image has made void: its file under the extension of the format that it had, and its placeholder.
  private func removeVoid(
    _ image: DeliveredImage, _ written: OutputFile.Written, _ name: ClaimedName, _ options: OutputOptions
  ) {
    if let earlier = image.history.superseded, earlier.facts.format != image.facts?.format {
      output.remove(
        others(than: written.path) { name.path(for: earlier.facts, in: prefix, choice: $0) }, options,
        having: earlier.hash)
    }
    if let placeholder {
      output.remove(others(than: written.path) { path(of: placeholder, name, choice: $0) }, options, having: nil)
    }
  }

  private func others(than path: String, _ candidate: (Int) -> String) -> [String] {
    (0..<OutputOptions.nameCount).map(candidate).filter { !$0.hasBytes(of: path) }
  }

  /// Writes the placeholder under a name, with the extension of its own format, unless there is an image. Returns its
  /// path.
  func writePlaceholder(as name: ClaimedName) throws(FetchError) -> String? {
    guard let placeholder, existing(name) == nil else { return nil }
    var options = options(name)
    // One of another format stands for the image as well.
    let standing = output.placeholder(options) { name.choice($0).candidates(in: prefix) }
    if let standing, !standing.hasBytes(of: path(of: placeholder, name, choice: name.first)) { return nil }
    options.keepsExisting = true
    options.nature = .placeholder
    let written: OutputFile.Written
    do {
      written = try output.write(placeholder.body, options) { path(of: placeholder, name, choice: $0) }
    } catch { throw FetchError(error, for: path(of: placeholder, name, choice: name.first)) }
    return written.outcome == .kept ? nil : written.path
  }

  private func path(of placeholder: Placeholder, _ name: ClaimedName, choice: Int) -> String {
    name.choice(choice).fitting(placeholder.facts?.format).path(for: placeholder.facts, in: prefix)
  }

  private func options(_ name: ClaimedName) -> OutputOptions {
    var options = OutputOptions(key: name.key, keyText: name.keyText)
    options.first = name.first
    options.isNamed = name.name.isExact
    options.replaces = settings.overwrite || name.name.isExact ? .any : name.isMadeOfURL ? .own : .ours
    options.adopts = settings.adopts
    options.keepsExisting = !settings.clobber
    options.readsAll = settings.overwrite
    options.isNamedByContent = name.name.needsDigest
    return options
  }

  private func lastModified(_ image: DeliveredImage) -> WallTime? {
    image.fields.first("last-modified").flatMap { HTTPDate.parse($0, now: clock.wallTime()) }
  }
}
