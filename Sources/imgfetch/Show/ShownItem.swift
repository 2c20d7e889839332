import ImgfetchCore

/// An operand of `show`.
enum ShownItem: Sendable {
  case file(String)
  case url(WebURL, given: String)
  /// Neither of the two.
  case refused(FetchError)

  /// `-` is standard input. A name without `://` that is a file's is that file. A text that is neither a file nor a URL
  /// fails in its turn.
  init(_ operand: String, _ urls: URLReader = URLReader()) throws(UsageError) {
    if operand == "-" {
      self = .file("/dev/stdin")
      return
    }
    if !operand.holds("://"), ProcessEnvironment.isFolder(operand) {
      self = .refused(
        FetchError(.file, SafeText.text(operand), "this is a folder; \(SafeText.text(operand))/* names what is in it"))
      return
    }
    if !operand.holds("://"), ProcessEnvironment.exists(operand) {
      self = .file(operand)
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

  /// The item's URL, or nil if it has none.
  var url: WebURL? { if case .url(let url, _) = self { url } else { nil } }

  /// The item's name in the line of facts.
  var name: String {
    switch self {
    case .file(let path): path
    case .url(let url, _): url.display
    case .refused(let error): error.subject
    }
  }

  /// The name below its picture in a sheet: that of the file, or the last part of the URL's path.
  var shortName: String {
    switch self {
    case .file(let path): Self.lastPart(of: path)
    case .url(let url, _):
      if case let name = url.lastPathSegment, !name.isEmpty { name } else { url.host }
    case .refused(let error): Self.lastPart(of: error.subject)
    }
  }

  private static func lastPart(of path: String) -> String {
    let part = path.utf8.split(separator: UInt8(ascii: "/")).last
    return part.map { String(decoding: $0, as: UTF8.self) } ?? path
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

extension ImageFacts {
  /// The facts of the header alone, for the line above the picture.
  var shownHead: String { "\(format.rawValue) \(width)x\(height)" }
}
