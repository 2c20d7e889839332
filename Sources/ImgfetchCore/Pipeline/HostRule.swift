/// Whether a host may be asked at all: before each request and each redirect.
enum HostRule {
  /// Why not; nil: it may.
  static func objection(to url: WebURL, _ options: FetchOptions) -> String? {
    if options.allowedHosts.isEmpty && options.deniedHosts.isEmpty { return nil }
    let origin = url.origin
    // A pattern that is none refuses everybody: who wrote it meant to keep somebody out.
    if options.deniedHosts.contains(where: { HostPattern($0)?.matches(origin) ?? true }) {
      return "the host \(origin.host) is refused by --deny-host"
    }
    if !options.allowedHosts.isEmpty,
      !options.allowedHosts.contains(where: { HostPattern($0)?.matches(origin) == true })
    {
      return "the host \(origin.host) is not among those of --allow-host"
    }
    return nil
  }
}
