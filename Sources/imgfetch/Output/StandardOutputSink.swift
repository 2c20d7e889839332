import ImgfetchCore

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
