extension ManualPage {
  /// The page that explains an option in full, which is that of its subject. Pages of commands have a line for it.
  static func explaining(_ flag: Flag) -> ManualPage {
    if SourceFlags.all.contains(where: { $0.id == flag.id }) { return flag.id == .from ? .get : .find }
    switch flag.id {
    case .cache, .offline, .cacheDir, .maxAge, .maxSize: return .get
    case .remoteCache, .remoteCacheMode, .remoteCacheTimeout, .remoteCacheWait, .storeBearerFile, .storeCert, .storeKey:
      return .remote
    default: break
    }
    switch flag.category {
    case .cache: return .caching
    case .network, .credentials: return .network
    case .transform: return .transforms
    case .general: return .imgfetch
    default: return flag.commands.contains(.get) ? .get : ofOneCommand(flag)
    }
  }

  /// The page of the command that alone takes an option.
  private static func ofOneCommand(_ flag: Flag) -> ManualPage {
    if flag.commands.contains(.pack) { return .pack }
    if flag.commands.contains(.show) { return .show }
    if flag.commands.contains(.report) { return .report }
    return flag.commands.contains(.inspect) ? .inspect : .cache
  }

  /// True if the page explains an option of its commands, false if it has one line for it.
  func explains(_ flag: Flag) -> Bool {
    if ManualPage.explaining(flag) == self { return true }
    switch self {
    // Their commands take few options, most of them in a way of their own.
    case .cache, .inspect: return flag.category != .general
    case .report: return ![.network, .credentials, .general].contains(flag.category)
    case .show: return flag.id == .background
    default: return false
    }
  }

  /// The page's name and section, as a reference has them: `imgfetch-get`, 1.
  var reference: (name: String, section: Int) {
    let parts = rawValue.split(separator: ".")
    return (String(parts.first ?? ""), parts.last.flatMap { Int($0) } ?? 1)
  }
}
