import ImgfetchCore

/// Advice on a failure: the options of this program that help. The library describes the problem, and
/// does not know the options.
enum Advice {
  /// The failure, with the advice added to its reason.
  ///
  /// - Parameters:
  ///   - given: The operand that was typed; nil for a line of a list.
  ///   - proxy: The proxy that was used, and the place where it was set.
  static func completing(_ error: FetchError, given: String? = nil, _ proxy: ProxySetting = .none) -> FetchError {
    guard let advice = text(for: error, given: given, proxy) else { return error }
    return FetchError(
      error.kind, error.subject, "\(error.reason); \(advice)", isTransient: error.isTransient, status: error.status,
      remedy: error.remedy)
  }

  /// True for the reason of a body that can be a source of images.
  private static func namesPage(_ reason: String) -> Bool {
    ["an HTML page", "HTML or XML", "JSON"].contains { reason.utf8.starts(with: "not an image but \($0)".utf8) }
  }

  private static func text(for error: FetchError, given: String?, _ proxy: ProxySetting) -> String? {
    switch error.remedy {
    case .trustAuthority?: return "--cacert FILE trusts the authorities whose certificates are in FILE"
    case .nameAuthorities?: return "the package ca-certificates has some, and --cacert FILE names others, in PEM"
    case .askWithoutTLS?:
      var rest = error.subject[...]
      for start in ["https:", "//"] where rest.utf8.starts(with: start.utf8) {
        rest = Substring(rest.utf8.dropFirst(start.utf8.count))
      }
      return "http://\(rest) asks without it"
    case .showCertificate?: return "--cert FILE shows one, to the origin of the first URL"
    case .changeProxy?: return "it comes from \(proxy.origin), and --no-proxy goes without one"
    case .allowMoreBytes?: return "--max-bytes allows more"
    case .allowMorePixels?: return "--max-pixels allows more"
    case .allowMoreTime?: return "--max-time allows more"
    case .allowDowngrade?: return "--allow-downgrade follows it"
    case .allowMoreRedirects?: return "--max-redirects allows more"
    case .askAgain?: return "--retry-failed asks again"
    case .decodeUnprotected?: return "--no-sandbox decodes with all rights of this user"
    case .decodeElsewhere?: return "a machine that is faster, or has less to do, may decode it"
    case .askLater?, .reachNameServer?, .installLibrary?, .addMemory?, nil: break
    }
    if given != nil, error.kind == .notImage, namesPage(error.reason) {
      return "--from fetches the images that it names"
    }
    if given != nil, error.kind == .http {
      if error.status == 401 { return "-u NAME:PASSWORD, --netrc and --bearer-file give credentials" }
      if error.status == 407 { return "--proxy http://NAME:PASSWORD@HOST:PORT gives credentials" }
    }
    if given == "-" { return "-i - reads URLs from standard input" }
    guard error.kind == .name || error.kind == .refused, let given, !given.holds("://"),
      ProcessEnvironment.exists(given)
    else { return nil }
    let name = SafeText.text(given)
    if ProcessEnvironment.isFolder(given) {
      return "there is a folder of that name: imgfetch inspect -r \(name) checks the images in it"
    }
    return "there is a file of that name: -i \(name) reads URLs from it, --from \(name) takes images out of it, "
      + "imgfetch show \(name) shows it"
  }
}
