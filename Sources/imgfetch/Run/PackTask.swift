import ImgfetchCore
import ImgfetchDataSet

/// The folder of a data set, and the work to do there.
struct PackTask: Sendable {
  let folder: any ShardStore
  /// The failed lines that are tried once more; nil if the list is fetched.
  var retries: RetryPlan?
  /// The shards that are made anew, since the list has grown.
  var grown = Guarded<Set<ShardName>>([])
  /// Compares existing shards with the rest of the list, while it is fetched; nil if all are compared.
  var comparison: ListComparison?

  /// Opens the folder or the place, and compares the finished shards with those that this run would make.
  ///
  /// - Parameter fetcher: sends the shards to a place.
  init(_ settings: Settings, _ environment: Environment, _ fetcher: Fetcher) throws(RunFailure) {
    // All images would fail alike, and the first machine that finishes would spoil the set for all others.
    if settings.fetch.policy != .only, let obstacle = Fetcher.networkObstacle(settings.fetcher.libcurl) {
      throw RunFailure(message: "no shard is made: \(obstacle)", exitCode: ExitCode.file)
    }
    folder = try Self.store(settings, environment, fetcher)
    if settings.dataSet.isAgain {
      retries = try Self.retries(settings, folder, spoolIn: environment.temporaryFolder)
    } else if try Self.compareOptions(settings, folder) {
      var comparison = ListComparison(settings, folder)
      if settings.dataSet.extends {
        // Only the end of the list tells whether its last shard has grown.
        guard var comparison else { throw Self.notExtended }
        _ = try comparison.run { false }
        grown = comparison.grown
      } else if try comparison?.run(atMost: Self.readBefore, isStopped: { false }) == false {
        self.comparison = comparison
      }
    }
  }

  private static func store(
    _ settings: Settings, _ environment: Environment, _ fetcher: Fetcher
  ) throws(RunFailure) -> any ShardStore {
    if let url = settings.output.place {
      return PlaceShards(fetcher.place(url), ShardRule(settings), spoolIn: environment.temporaryFolder)
    }
    let path = settings.output.folder ?? "."
    if settings.dataSet.isAgain, (try? Descriptor.status(ofFile: path)) == nil { throw nothingToRetry(path) }
    do throws(SystemError) {
      let folder = try ShardFolder(path)
      folder.clean(now: SystemClock().wallTime())
      return folder
    } catch {
      throw RunFailure(message: "\(path): shards cannot be written there: \(error.code)", exitCode: ExitCode.file)
    }
  }

  private static var notExtended: RunFailure {
    RunFailure(message: "--extend reads the list twice: give one that is a file", exitCode: ExitCode.usage)
  }

  private static func nothingToRetry(_ path: String) -> RunFailure {
    RunFailure(
      message: "\(path): there are no shards here whose failed lines could be tried again", exitCode: ExitCode.usage)
  }

  /// The part of the list that is compared before anything is fetched: some hundred thousand lines, in a quarter of a
  /// second. The rest of a longer list is compared while it is fetched.
  private static let readBefore: Int64 = 8 << 20

  /// Compares the options of existing shards, other processes' too, with those of this run. Returns true if there are
  /// shards of this process.
  private static func compareOptions(_ settings: Settings, _ folder: any ShardStore) throws(RunFailure) -> Bool {
    let rule = ShardRule(settings)
    let (names, other): ([ShardName], StandingShard?)
    do throws(ShardFailure) {
      names = try folder.samples(of: rule)
      other = try JobOf(settings).other(among: names, in: folder)
    } catch { throw RunFailure(message: error.message, exitCode: error.exitCode(ofForeign: ExitCode.usage)) }
    if let other {
      throw RunFailure(message: Packing.objection(to: other, JobOf(settings).rules), exitCode: ExitCode.usage)
    }
    return names.contains { rule.owns($0) }
  }

  private static func retries(
    _ settings: Settings, _ folder: any ShardStore, spoolIn spoolFolder: String
  ) throws(RunFailure) -> RetryPlan {
    let rule = ShardRule(settings)
    do throws(RetryPlan.Failure) {
      return try RetryPlan(folder, options: JobOf(settings).compared, spoolIn: spoolFolder) { rule.retries($0) }
    } catch {
      switch error {
      case .noShards: throw nothingToRetry(folder.path)
      case .shard(let failure):
        throw RunFailure(message: failure.message, exitCode: failure.exitCode(ofForeign: ExitCode.usage))
      case .otherOptions(let shard):
        throw RunFailure(message: Packing.objection(to: shard, JobOf(settings).rules), exitCode: ExitCode.usage)
      }
    }
  }
}
