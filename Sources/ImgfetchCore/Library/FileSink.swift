/// Writes images to one file: whole or not at all, by a temporary file beside it and a rename.
@usableFromInline
final class FileSink: ImageSink {
  private let path: String
  private let next: (any ImageSink)?

  /// - Parameter next: the request's own sink, which gets the image, too.
  init(_ path: String, before next: (any ImageSink)? = nil) {
    self.path = path
    self.next = next
  }

  @usableFromInline
  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    _ = try next?.receive(image, for: request)
    return try write(image.body, about: request.url.display)
  }

  private func write(_ body: ImageBody, about url: String) throws(FetchError) -> Delivery {
    do throws(OutputFailure) {
      let written = try OutputFile(folders: OutputFolders()).write(body, OutputOptions()) { _ in path }
      return Delivery(output: written.path, written: written.outcome.change)
    } catch {
      let kind: FetchError.Kind = if case .damaged = error { .damaged } else { .file }
      throw FetchError(
        kind, error.path ?? url, error.reason, isTransient: kind == .damaged,
        cause: error.code.map { FetchError.Cause(errno: $0) })
    }
  }
}
