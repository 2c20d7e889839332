import ImgfetchCore

/// The `cache` commands.
enum CacheCommands {
  static func run(_ action: CacheAction, _ settings: Settings, _ environment: Environment) -> Int32 {
    var settings = settings
    settings.list.urls = URLReader(S3AccountReader(environment).account)
    let messages = Messages(isQuiet: settings.messages.quiet)
    guard let folder = settings.fetcher.cacheFolder else {
      messages.error("there is no cache: neither --cache-dir nor XDG_CACHE_HOME nor HOME says where it is")
      return ExitCode.file
    }
    let report = CacheReport(settings)
    let code = run(action, settings, folder, report, messages)
    return report.finish(code, messages)
  }

  private static func run(
    _ action: CacheAction, _ settings: Settings, _ folder: String, _ report: CacheReport, _ messages: Messages
  ) -> Int32 {
    do {
      let cache = try DiskCache.open(
        root: folder, namespace: settings.fetcher.namespace, readOnlyCaches: settings.fetcher.readOnlyCaches,
        report: { messages.warn($0) })
      return try CacheRun(cache: cache, settings: settings, report: report, messages: messages).run(action)
    } catch let error as CacheUnavailable {
      messages.error(error.message)
      return ExitCode.file
    } catch CacheFailure.beingCleaned {
      messages.error("\(folder): the cache \(CacheFailure.beingCleaned.message)")
      return ExitCode.mixed
    } catch let error as CacheFailure {
      messages.error(error.sentence(of: folder) + help(error))
      return ExitCode.file
    } catch let error as FetchError {
      messages.error(Advice.completing(error).message)
      return ExitCode.code(of: error.kind)
    } catch {
      messages.error("\(folder): \(error)")
      return ExitCode.mixed
    }
  }

  /// The way out of a failure, as a clause with what separates it from the sentence before; empty if none is known.
  private static func help(_ failure: CacheFailure) -> String {
    switch failure.code {
    case .accessDenied:
      "; it may be another user's, or closed to its owner: 'ls -l' shows both, and chown and chmod change them"
    case .notPermitted:
      "; it may be another user's ('ls -l'), or immutable ('lsattr', 'chattr -i')"
    case .readOnlyFileSystem:
      "; mount its file system for writing first; --read-only-cache reads such a cache"
    default: ""
    }
  }
}
