import ImgfetchCore
import ImgfetchDataSet

/// Reads the shards of places, by ranges: their descriptions and rows, and no image.
///
/// The network is used from the first place on. One thread owns it.
final class ReportPlaces {
  private let settings: Settings
  private let environment: Environment
  private let messages: Messages
  private var opened: (fetcher: Fetcher, urls: URLReader)?

  init(_ settings: Settings, _ environment: Environment, _ messages: Messages) {
    self.settings = settings
    self.environment = environment
    self.messages = messages
  }

  /// - Parameter name: The URL of a place, or of one of its shards.
  func shards(at name: String) throws(FetchError) -> [StandingShard] {
    let (fetcher, urls) = try open()
    let (folder, file) = name.pathSplit
    let one = ShardName(file: String(file))
    let url: WebURL
    do throws(URLFailure) { url = try urls.url(one == nil ? name : folder.map(String.init) ?? name) } catch {
      throw FetchError(.refused, WebURL.masked(name), "\(error)", remedy: error.remedy)
    }
    let place = PlaceShards(fetcher.place(url), ShardRule(perShard: 1), spoolIn: environment.temporaryFolder)
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

  private func open() throws(FetchError) -> (fetcher: Fetcher, urls: URLReader) {
    if let opened { return opened }
    let accounts = S3AccountReader(environment)
    var configuration = settings.fetcher
    do throws(CredentialReader.Failure) {
      configuration.identity = try CredentialReader.read(settings) { messages.warn($0) }
      configuration.stores = try CredentialReader.stores(settings)
    } catch { throw FetchError(.file, "the credentials", error.message) }
    configuration.temporaryFolder = environment.temporaryFolder
    var hooks = FetchHooks()
    hooks.warn = { [messages] in messages.warn($0) }
    let urls = URLReader(accounts.account) { accounts.failure.map { ($0.message, $0.exitCode) } }
    let opened = (fetcher: Fetcher(configuration, hooks: hooks), urls: urls)
    self.opened = opened
    return opened
  }
}
