import ImgfetchCore
import ImgfetchDataSet

/// Reads the shards of places, by ranges: their descriptions and rows, and no image.
///
/// The network is used from the first place on. One thread owns it.
final class ReportPlaces {
  private let configuration: Fetcher.Configuration
  private let environment: Environment
  private let messages: Messages
  private let urls: URLReader
  private var opened: Fetcher?

  /// Reads the credentials, if any source of rows is at a URL: mistakes in them end the command before it begins.
  init(
    _ settings: Settings, _ environment: Environment, _ messages: Messages
  ) throws(RunFailure) {
    self.environment = environment
    self.messages = messages
    let accounts = S3AccountReader(environment)
    urls = URLReader(accounts.account) { accounts.failure }
    var configuration = settings.fetcher
    configuration.temporaryFolder = environment.temporaryFolder
    let names = (settings.operands + [settings.rows.against].compactMap(\.self)).filter(StoreAddress.isURL)
    if !names.isEmpty {
      configuration.identity = try CredentialReader.read(settings) { messages.warn($0) }
      configuration.stores = try CredentialReader.stores(settings)
    }
    self.configuration = configuration
    for name in names {
      _ = try? urls.url(name)
      if let failure = accounts.failure { throw failure }
    }
  }

  /// - Parameter name: The URL of a place, or of one of its shards.
  func shards(at name: String) throws(FetchError) -> [StandingShard] {
    let (folder, file) = name.pathSplit
    let one = ShardName(file: String(file))
    let url: WebURL
    do throws(URLFailure) { url = try urls.url(one == nil ? name : folder.map(String.init) ?? name) } catch {
      throw FetchError(.refused, WebURL.masked(name), "\(error)", remedy: error.remedy)
    }
    let place = PlaceShards(fetcher().place(url), ShardRule(perShard: 1), spoolIn: environment.temporaryFolder)
    do throws(ShardFailure) {
      var shards: [StandingShard] = []
      let names = if let one { [one] } else { try place.shards() }
      for name in names {
        if let shard = try place.standing(name) { shards.append(shard) }
      }
      return shards
    } catch {
      if case .place(let error) = error { throw error }
      throw FetchError(.file, url.display, error.message)
    }
  }

  private func fetcher() -> Fetcher {
    if let opened { return opened }
    var hooks = FetchHooks()
    hooks.warn = { [messages] in messages.warn($0) }
    let fetcher = Fetcher(configuration, hooks: hooks)
    opened = fetcher
    return fetcher
  }
}
