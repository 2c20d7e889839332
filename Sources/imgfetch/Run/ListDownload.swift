import ImgfetchCore

/// Downloads the lists of a run that are at URLs, with the fetcher of its images: by its proxy, certificates,
/// credentials and retries.
///
/// The run's rules for images and their hosts do not apply to a list, whose URL the user has given.
enum ListDownload {
  static func opener(_ settings: Settings, _ fetcher: Fetcher, spoolIn folder: String) -> RemoteLists {
    return { (text) throws(InputList.Failure) in
      let url: WebURL
      do throws(URLFailure) { url = try settings.list.urls.url(text) } catch {
        throw InputList.Failure(name: WebURL.masked(text), reason: "\(error)", kind: .refused)
      }
      let list: RemoteList
      do throws(SystemError) {
        list = try RemoteList(url, limit: settings.list.maximum, spoolIn: folder)
      } catch {
        throw InputList.Failure(name: url.display, reason: "it cannot be kept in \(folder): \(error.code)")
      }
      var request = FetchRequest(url, options: options(settings), for: .list(list))
      request.priority = .high
      fetcher.submit(request) { result in
        list.end(
          result.error.map { $0.remedy == .allowMoreBytes ? list.tooLong : Advice.completing($0, settings.proxy) })
      }
      fetcher.kick()
      return list
    }
  }

  private static func options(_ settings: Settings) -> FetchOptions {
    var options = FetchOptions()
    options.policy = .off
    options.verification = .none
    options.acceptedStatuses = StatusSet(bounds: [200, 200])
    options.maximumRedirects = settings.fetch.maximumRedirects
    options.maximumBytes = settings.list.maximum
    options.headers = settings.fetch.headers.filter { !PageRequests.isAboutImages($0.name.lowercased()) }
    options.headers.append(("Accept", "*/*"))
    return options
  }

  /// Checks the URLs of lists before anything is fetched: an account that cannot be read is a mistake of the set-up.
  static func check(_ settings: Settings) throws(URLFailure) {
    for list in settings.list.inputs where StoreAddress.isURL(list) { _ = try settings.list.urls.url(list) }
  }
}

extension CredentialReader {
  /// Checks that lists at URLs can be requested.
  static func checkLists(_ settings: Settings, _ accounts: S3AccountReader) throws(RunFailure) {
    do throws(URLFailure) { try ListDownload.check(settings) } catch {
      throw failure("the list of --input", error, accounts)
    }
  }
}
