import ImgfetchCore

/// The `cache` commands: what is in the cache, and what is to go.
enum CacheCommands {
  static func run(_ command: CacheCommand) -> Int32 {
    let messages = Messages(isQuiet: command.messages.quiet)
    guard let folder = command.location.folder else {
      messages.say("there is no cache: neither --cache-dir nor XDG_CACHE_HOME nor HOME says where it is")
      return ExitCode.file
    }
    let report = CacheReport(command)
    let code = run(command, folder, report, messages)
    return report.finish(code, messages)
  }

  private static func run(
    _ command: CacheCommand, _ folder: String, _ report: CacheReport, _ messages: Messages
  ) -> Int32 {
    do {
      let cache = try DiskCache.open(
        root: folder, namespace: command.location.namespace, report: { messages.warn($0) })
      return try CacheRun(cache: cache, keys: command.keys.filter, report: report, messages: messages)
        .run(command.action)
    } catch let error as CacheUnavailable {
      messages.say(error.message)
      return ExitCode.file
    } catch CacheFailure.beingCleaned {
      messages.say("\(folder): the cache \(CacheFailure.beingCleaned.message)")
      return ExitCode.mixed
    } catch let error as CacheFailure {
      messages.say(error.sentence(of: folder))
      return ExitCode.file
    } catch let error as FetchError {
      messages.say(error.message)
      return ExitCode.code(of: error.kind)
    } catch {
      messages.say("\(folder): \(error)")
      return ExitCode.mixed
    }
  }
}

/// One run of a `cache` command, on an opened cache.
struct CacheRun {
  let cache: DiskCache
  let keys: KeyFilter
  let report: CacheReport
  let messages: Messages

  /// The answer is the exit code.
  func run(_ action: CacheCommand.Action) throws -> Int32 {
    switch action {
    case .size(let exact): try size(isExact: exact)
    case .path(let url): try path(url)
    case .clean(let maxAge, let maxSize, let dryRun): try clean(maxAge, maxSize, isDryRun: dryRun)
    case .clear: try clear()
    case .remove(let urls): try remove(urls)
    case .list(let print0): try list(keysOnly: print0)
    case .add(let url, let file, let verification, let sandbox, let maxPixels):
      try add(
        url, file, verification.core,
        PixelLimits(
          maxPixels: Int64(maxPixels),
          executor: PixelExecutors.make(verification == .decode, isSandboxed: sandbox, messages)))
    case .verify(let repair): try verify(repairing: repair)
    }
  }

  func url(_ text: String) throws(FetchError) -> WebURL {
    do { return try WebURL(text) } catch { throw FetchError(.refused, WebURL.masked(text), "\(error)") }
  }

  func key(_ url: WebURL) -> CacheKey { CacheKey(url: keys.key(for: url)) }

  /// The keys that a text can mean: a URL's; or one as `cache list` prints it, with a bar, where a filter made it, or the user did.
  /// No canonical URL has a bar in it, but what is typed may.
  func keys(meantBy text: String) throws(FetchError) -> [CacheKey] {
    let bar = UInt8(ascii: "|")
    guard text.utf8.contains(bar) else { return [key(try url(text))] }
    let listed = CacheKey(url: text)
    return text.utf8.first == bar ? [listed] : [listed, key(try url(text))]
  }
}

extension CacheFailure {
  /// What happened to the cache in that folder.
  func sentence(of folder: String) -> String {
    switch self {
    case .unavailable(let reason): reason.message
    case .system(let error): "\(folder): the cache cannot be used: \(error)"
    default: "\(folder): the cache \(message)"
    }
  }
}
