import ImgfetchCore

/// `--placeholder`: the image that is written in place of one that failed.
struct Placeholder: Sendable {
  let body: ImageBody
  /// The facts of the image, or nil if it is not an image.
  let facts: ImageFacts?
}

extension Placeholder {
  /// Reads the file. Opening does not wait, since a pipe may never be written to.
  init(file path: String) throws(SystemError) {
    let file = SharedDescriptor(try .open(path, [.read, .nonBlocking]))
    let status = try file.file.status()
    if status.kind == .directory { throw SystemError(.open, .isDirectory, path: path) }
    guard status.kind == .regular else { throw SystemError(.open, .notSupported, path: path) }
    body = ImageBody(.file(.init(descriptor: file, length: status.size, expectedHash: nil)))
    var inspector = Inspector(limits: InspectionLimits())
    // A failure is final: it comes back at the end.
    try? body.read { piece in _ = try? inspector.feed(piece) }
    facts = try? inspector.finish()
  }

  /// Nil if no placeholder is asked for.
  init?(_ settings: OutputSettings) throws(FetchError) {
    guard let path = settings.placeholder else { return nil }
    do throws(SystemError) { try self.init(file: path) } catch {
      let reason = error.code == .notSupported ? "it is no regular file" : "\(error.code)"
      throw FetchError(.file, path, "the placeholder cannot be read: \(reason)")
    }
  }
}
