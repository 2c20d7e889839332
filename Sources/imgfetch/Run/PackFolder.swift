import ImgfetchCore

/// Why no data set can be made: nothing was fetched.
struct PackFailure: Error {
  let message: String
  let exitCode: Int32
}

/// Opens the folder of a data set, and compares the shards that are there with what this run would make.
enum PackFolder {
  static func open(_ settings: Settings) throws(PackFailure) -> ShardFolder {
    let path = settings.output.folder ?? "."
    let folder: ShardFolder
    let shards: [ShardName]
    do {
      folder = try ShardFolder(path)
      folder.clean(now: SystemClock().wallTime())
      shards = try folder.shards()
    } catch { throw PackFailure(message: "\(path): \(error.code)", exitCode: ExitCode.file) }
    if !shards.isEmpty, !settings.list.inputs.contains("-") { try compare(settings, folder) }
    return folder
  }

  /// Reads the list once before, as far as it consists of files: shards of another job are found before anything is fetched. Those of
  /// a pipe are found when their last line has been read.
  private static func compare(_ settings: Settings, _ folder: ShardFolder) throws(PackFailure) {
    for list in settings.list.inputs {
      guard (try? Descriptor.status(ofFile: list).kind) == .regular else { return }
    }
    let found = Guarded<PackFailure?>(nil)
    let packing = Packing(
      settings, folder, isTrial: true,
      events: PackEvents(
        report: { _ in }, fail: { _, _ in },
        end: { message, code in found.withLock { $0 = PackFailure(message: message, exitCode: code) } },
        warn: { _ in }, whenClosed: { _ in }))
    var list = InputList(
      operands: [], lists: settings.list.inputs, isNullEnded: settings.list.isNullEnded,
      format: settings.list.format)
    var index = 0
    // A list that cannot be read is told of in its turn.
    while let item = try? list.next(), found.withLock({ $0 == nil }) {
      index += 1
      switch item {
      case .line(let line):
        let key = ContentHash(of: settings.fetch.keyFilter.key(for: line.url))
        _ = packing.take(index, line.text.utf8Span.span, line.url.origin, key)
      case .invalid(let line): _ = packing.take(index, line.text.span, nil, ContentHash(of: line.text.span))
      case .pending: index -= 1
      }
    }
    if list.isDone { packing.noteEndOfInput() }
    if let failure = found.withLock({ $0 }) { throw failure }
  }
}

/// Ties a run and the data set that it makes, each of which needs the other.
final class PackLink: Sendable {
  let run = Guarded<GetRun?>(nil)

  func events(_ reporter: Reporter) -> PackEvents {
    PackEvents(
      report: { reporter.report($0) },
      fail: { reporter.fail($0, $1) },
      end: { [self] message, code in
        reporter.markIncomplete()
        reporter.fail(message, code)
        run.withLock { $0 }?.endEarly()
      },
      warn: { reporter.messages.warn($0) },
      whenClosed: { [self] shard in
        let run = run.withLock { $0 }
        run?.packing?.close(shard)
        run?.stop.wake()
      })
  }
}
