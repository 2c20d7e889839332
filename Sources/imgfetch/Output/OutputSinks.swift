import ImgfetchCore

/// `--dry-run`: says where an image would go, and writes nothing.
struct ForeseeingSink: ImageSink {
  let files: OutputFiles
  let name: ClaimedName

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    try files.foresee(image, as: name, for: request.url.display)
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
  /// A damaged cache entry is the cache's failure, and one that cannot be read is the disk's: in both cases the image
  /// can be fetched again. Other failures concern the output file.
  init(_ failure: OutputFailure, for url: String) {
    switch failure {
    case .damaged: self.init(.damaged, url, failure.reason, isTransient: true)
    case .source: self.init(.file, url, failure.reason, isTransient: true, cause: Cause(errno: failure.code))
    case .file(let path, _), .isFolder(let path), .isTaken(let path):
      self.init(.file, path, failure.reason, cause: Cause(errno: failure.code))
    }
  }
}
