import ImgfetchCore

// What the user asked for, in the core's words.
extension GetSettings {
  var configuration: Fetcher.Configuration {
    var core = Fetcher.Configuration()
    // What is never looked into need not be opened, nor complained of.
    if cache.policy.usesDisk {
      core.cacheFolder = cache.location.folder
      core.readOnlyCaches = cache.readOnlyFolders
    }
    core.namespace = cache.location.namespace
    core.memoryLimit = cache.memoryLimit
    core.jobs = network.jobs
    core.perHost = network.perHost
    core.isNewestFirst = network.order == .lifo
    core.requestsPerSecond = network.rate.map { Double($0.requests) * 1e9 / Double(max(1, $0.nanoseconds)) }
    core.bytesPerSecond = network.limitRate.map(Int64.init)
    core.retries = network.retries
    core.connectTimeout = network.connectTimeout?.seconds ?? Self.forever
    core.stallTimeout = network.timeout?.seconds ?? Self.forever
    core.maximumTime = network.maxTime?.seconds
    if let userAgent = identity.userAgent { core.userAgent = userAgent }
    core.certificates = identity.authorities
    core.systemCertificates = identity.systemAuthorities
    core.systemCertificateFolder = identity.systemAuthorityFolder
    core.isInsecure = identity.insecure
    core.usesHTTP1Only = network.http1Only
    core.addressFamily =
      switch network.addressFamily {
      case .any: nil
      case .ipv4: 4
      case .ipv6: 6
      }
    switch network.proxy {
    case .none: break
    case .url(let url): (core.httpProxy, core.httpsProxy) = (url, url)
    case .variables(let http, let https, let all, let no):
      core.httpProxy = http ?? all
      core.httpsProxy = https ?? all
      core.proxyExceptions = no
    }
    core.resolve = network.resolve.map { "\($0.host):\($0.port):\($0.address)" }
    return core
  }

  /// A limit that is off, as a number of seconds that nobody will live to see.
  private static let forever: Double = 1e9

  var options: FetchOptions {
    var core = FetchOptions()
    core.policy = CachePolicy(rawValue: cache.policy.rawValue) ?? .age
    core.maximumAge = cache.maxAge.seconds
    core.servesStale = cache.stale
    core.verification = image.verification.core
    core.maximumPixels = Int64(image.maxPixels)
    core.maximumBytes = Int64(network.maxBytes)
    core.acceptedStatuses = ImgfetchCore.StatusSet(
      bounds: network.acceptStatus.ranges.flatMap { [$0.first, $0.last] })
    core.maximumRedirects = network.maxRedirects
    core.headers = identity.headers.map { (name: $0.name, value: $0.value) }
    if let referer = identity.referer { core.headers.append((name: "Referer", value: referer)) }
    core.filter = image.filter
    core.retriesFailed = cache.retryFailed
    core.skipsFailedFor = cache.skipFailed?.seconds
    core.cachesDerived = cache.derived
    core.keyFilter = cache.keys.filter
    core.allowedHosts = selection.allowHosts
    core.deniedHosts = selection.denyHosts
    core.publicAddressesOnly = selection.denyPrivate
    core.reportsChecksum = report.checksum || report.writeOut.map { WriteOut($0).uses(.sha256) } == true
    return core
  }
}

extension KeySettings {
  var filter: KeyFilter {
    KeyFilter(ignoreQuery: ignoreQuery, ignoredParameters: ignoredParameters, replacement: key)
  }
}

extension Choices.Policy {
  var usesDisk: Bool { self != .off && self != .memory }
}

extension Choices.Verification {
  var core: Verification {
    switch self {
    case .none: .none
    case .structure: .structure
    case .decode: .decode
    }
  }
}

extension ImageSettings {
  var filter: ImageFilter {
    var filter = ImageFilter()
    if let minSize {
      filter.minimumWidth = minSize.width
      filter.minimumHeight = minSize.height
    }
    filter.maximumAspect = maxAspect
    filter.formats = onlyFormats.map { Set($0.compactMap { ImageFormat(rawValue: $0 == .apng ? "png" : $0.rawValue) }) }
    return filter
  }
}
