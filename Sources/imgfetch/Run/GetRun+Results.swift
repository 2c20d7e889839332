import ImgfetchCore

// From the fetcher to the reporter, on any thread.
extension GetRun {
  /// Called once for each line.
  ///
  /// - Parameter given: what was typed, where that was no line of a list.
  func finish(_ result: FetchResult, _ tag: LineTag, given: String? = nil) {
    failures.end(result.tag, isFailure: result.error != nil)
    if let error = result.error {
      var failed = result
      failed.error = Advice.completing(error, given: given, settings.network.proxy)
      if settings.output.failFast, error.kind != .cancelled, stop.set() {
        reporter.noteBreakingOff()
        fetcher.cancelAll()
      }
      bars?.finish(isFailure: true)
      return reporter.deliver(failed, tag)
    }
    bars?.finish(isFailure: false)
    reporter.deliver(result, tag)
  }

  /// The result, with the placeholder written where there is no image.
  func placeholding(_ result: FetchResult, _ name: ClaimedName) -> FetchResult {
    guard let placeholder, result.error != nil else { return result }
    var result = result
    do throws(FetchError) { result.output = try places.write(placeholder: placeholder, as: name) } catch {
      reporter.fail(error.message, ExitCode.file)
    }
    return result
  }

  static func placeholder(_ path: String, _ reporter: Reporter) -> ImageBody? {
    do throws(SystemError) {
      let file = SharedDescriptor(try .open(path, .read))
      let length = try file.file.status().size
      return ImageBody(.file(.init(descriptor: file, length: length, expectedHash: nil)))
    } catch {
      reporter.fail("\(path): the placeholder cannot be read: \(error.code)", ExitCode.file)
      return nil
    }
  }
}
