import ImgfetchCore

/// Why no data set can be made: nothing was fetched.
struct PackFailure: Error {
  let message: String
  let exitCode: Int32
}

/// The folder of a data set, and what is to be done in it.
struct PackTask: Sendable {
  let folder: ShardFolder
  /// The failed lines that are tried once more; nil: the list is fetched.
  var retries: RetryPlan?
  /// Compares the shards that are there with the rest of the list, while it is fetched; nil: all are compared.
  var comparison: ListComparison?

  /// Opens the folder, and compares the shards that are there with what this run would make.
  init(_ settings: Settings, _ environment: Environment) throws(PackFailure) {
    let path = settings.output.folder ?? "."
    let shards: [ShardName]
    if settings.dataSet.isAgain, (try? Descriptor.status(ofFile: path)) == nil { throw Self.nothingToRetry(path) }
    do {
      folder = try ShardFolder(path)
      folder.clean(now: SystemClock().wallTime())
      shards = try folder.shards()
    } catch { throw PackFailure(message: "\(path): \(error.code)", exitCode: ExitCode.file) }
    if settings.dataSet.isAgain {
      guard !shards.isEmpty else { throw Self.nothingToRetry(path) }
      retries = try Self.retries(settings, folder, spoolIn: environment.temporaryFolder)
    } else if !shards.isEmpty {
      try Self.compareOptions(settings, folder, shards)
      var comparison = ListComparison(settings, folder)
      if try comparison?.run(atMost: Self.readBefore, isStopped: { false }) == false { self.comparison = comparison }
    }
  }

  private static func nothingToRetry(_ path: String) -> PackFailure {
    PackFailure(
      message: "\(path): there are no shards here whose failed lines could be tried again", exitCode: ExitCode.usage)
  }

  /// So much of the list is compared before anything is fetched: some hundred thousand lines, in a quarter of a second. The rest of a
  /// longer one is compared while it is fetched.
  private static let readBefore: Int64 = 8 << 20

  /// The first shards tell: those of one run are of the same options.
  private static let shardsBefore = 1_000

  private static func compareOptions(
    _ settings: Settings, _ folder: ShardFolder, _ shards: [ShardName]
  ) throws(PackFailure) {
    let (job, rule) = (JobOf(settings), ShardRule(settings))
    for name in shards.filter({ $0.again == 0 && rule.owns($0) }).prefix(shardsBefore) {
      let standing: StandingShard?
      do { standing = try folder.standing(name) } catch {
        throw PackFailure(message: error.message, exitCode: ExitCode.usage)
      }
      if let standing, !job.agrees(with: standing) {
        throw PackFailure(message: Packing.objection(to: standing.path), exitCode: ExitCode.usage)
      }
    }
  }

  private static func retries(
    _ settings: Settings, _ folder: ShardFolder, spoolIn spoolFolder: String
  ) throws(PackFailure) -> RetryPlan {
    let rule = ShardRule(settings)
    do throws(RetryPlan.Failure) {
      return try RetryPlan(folder, options: JobOf(settings).compared, spoolIn: spoolFolder) { rule.retries($0) }
    } catch {
      switch error {
      case .shard(let failure): throw PackFailure(message: failure.message, exitCode: ExitCode.usage)
      case .otherOptions(let path): throw PackFailure(message: Packing.objection(to: path), exitCode: ExitCode.usage)
      case .file(let error):
        throw PackFailure(
          message: "\(folder.path): the failed lines cannot be kept: \(error.code)", exitCode: ExitCode.file)
      }
    }
  }
}

/// Ties a run and the data set that it makes, each of which needs the other.
final class PackLink: Sendable {
  let run = Guarded<GetRun?>(nil)

  func events(_ reporter: Reporter) -> PackEvents {
    PackEvents(
      report: { [self] shard in
        reporter.report(shard)
        run.withLock { $0 }?.bars?.finishShard()
      },
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
