import ImgfetchCore

/// An operand of `show`.
enum ShownItem: Sendable {
  case file(String)
  case url(WebURL, given: String)
  /// Neither of the two.
  case refused(FetchError)

  /// A name without `://` that is a file's is that file. A text that is neither a file nor a URL fails in its turn.
  init(_ operand: String, _ urls: URLReader = URLReader()) throws(UsageError) {
    if !operand.holds("://"), ProcessEnvironment.isFile(operand) {
      self = .file(operand)
      return
    }
    if !operand.holds("://"), ProcessEnvironment.exists(operand) {
      self = .refused(
        FetchError(.file, SafeText.text(operand), "this is a folder; \(SafeText.text(operand))/* names what is in it"))
      return
    }
    do throws(URLFailure) { self = .url(try urls.url(operand), given: operand) } catch {
      if case .account = error { throw UsageError("'\(WebURL.masked(operand))': \(error)", of: .show) }
      let isName = !operand.holds("://")
      self = .refused(
        FetchError(
          isName ? .file : .refused, WebURL.masked(operand),
          isName ? "there is no file of this name, and \(error)" : "\(error)"))
    }
  }

  /// The item's name in the line of facts.
  var name: String {
    switch self {
    case .file(let path): path
    case .url(let url, _): url.display
    case .refused(let error): error.subject
    }
  }

  /// The line above its picture while it comes.
  func line(_ facts: ImageFacts) -> String { SafeText.text(name) + "  " + facts.shownHead }

  /// A failure to find the host of a name without a scheme. It may be the misspelt name of a file.
  func noted(_ error: FetchError) -> FetchError {
    guard error.kind == .name || error.kind == .refused, case .url(_, let given) = self, !given.holds("://") else {
      return error
    }
    return FetchError(
      error.kind, error.subject, "\(error.reason); there is no file \(SafeText.text(given)) either",
      isTransient: error.isTransient, status: error.status, remedy: error.remedy)
  }
}

/// A whole image that is to be shown.
struct ShownImage: Sendable {
  let body: ImageBody
  let facts: ImageFacts
  /// The cache that the image came from; nil for a file of the user's.
  var cache: CacheType?

  init(_ body: ImageBody, _ facts: ImageFacts) {
    self.body = body
    self.facts = facts
  }

  /// A file of the user's, inspected.
  init(file name: String, _ settings: Settings, _ limits: PixelLimits) throws(FetchError) {
    let body: ImageBody
    do throws(SystemError) {
      let file = SharedDescriptor(try .open(name, .read))
      body = ImageBody(.file(.init(descriptor: file, length: try file.file.status().size, expectedHash: nil)))
    } catch { throw FetchError(.file, name, "cannot be opened: \(error.code)") }
    guard body.count <= settings.fetch.maximumBytes else {
      throw FetchError(
        .limit, name, "larger than \(settings.fetch.maximumBytes) bytes", remedy: .allowMoreBytes)
    }
    try self.init(inspecting: body, name, limits)
    if let objection = settings.fetch.filter.objection(to: facts) { throw FetchError(.damaged, name, objection) }
  }

  init(inspecting body: ImageBody, _ name: String, _ limits: PixelLimits) throws(FetchError) {
    var inspector = Inspector(limits: InspectionLimits(maxPixels: limits.maxPixels))
    var failure: InspectionFailure?
    do throws(BodyReadFailure) {
      try body.read { piece in
        guard failure == nil else { return }
        do throws(InspectionFailure) { try inspector.feed(piece) } catch { failure = error }
      }
    } catch { throw FetchError(.file, name, "cannot be read") }
    if let failure { throw failure.fetchError(of: name) }
    do throws(InspectionFailure) {
      switch try inspector.verdict() {
      case .accepted(let facts): self.init(body, facts)
      case .doubtful(let facts, let failure):
        guard PixelCheck.dispelsDoubt(about: body, facts, limits) else { throw failure }
        self.init(body, facts)
      }
    } catch { throw error.fetchError(of: name) }
  }

  /// The line above the picture.
  func line(_ name: String) -> String {
    var parts = [facts.shownHead, Amount.size(body.count)]
    if facts.frames > 1 { parts.append(Amount.count(facts.frames, "frame")) }
    if let cache { parts.append(cache == .network ? "network" : cache.rawValue) }
    return SafeText.text(name) + "  " + parts.joined(separator: ", ")
  }
}

extension ImageFacts {
  /// The size in which it is seen: EXIF orientations from 5 on lie on their side.
  var uprightSize: PixelSize { orientation > 4 ? PixelSize(height, width) : PixelSize(width, height) }

  /// The facts of the header alone, for the line above the picture.
  var shownHead: String { "\(format.rawValue) \(width)x\(height)" }
}
