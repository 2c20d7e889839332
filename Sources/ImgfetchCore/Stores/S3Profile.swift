/// The account in the variables and files that Amazon's tools share. A pure value: it is given their texts.
///
/// For the keys, the variables come first, then the credentials file, then the configuration file, each with the
/// profile that `AWS_PROFILE` names.
public struct S3Profile {
  /// The reason for which there is no account.
  public struct Mistake: Error, Hashable, Sendable {
    /// The mistake, and what to do.
    public let reason: String
  }

  private let variable: (String) -> String?
  private let name: String
  /// The settings of the configuration file. The credentials file has precedence.
  private let settings: [String: String]
  private let credentials: [String: String]

  /// Creates a profile.
  ///
  /// - Parameters:
  ///   - variable: the value of an environment variable, or nil if it is unset or empty.
  ///   - credentials: the text of the credentials file, empty if there is none.
  ///   - configuration: the text of the configuration file.
  public init(
    variable: @escaping (String) -> String?, credentials: String, configuration: String
  ) throws(Mistake) {
    self.variable = variable
    let given = variable("AWS_PROFILE") ?? variable("AWS_DEFAULT_PROFILE")
    name = given ?? "default"
    let (keys, all) = (Self.sections(of: credentials), Self.sections(of: configuration))
    let settings = all["profile \(name)"] ?? (name == "default" ? all["default"] : nil)
    guard given == nil || settings != nil || keys[name] != nil else {
      throw Mistake(reason: "the profile '\(name)', which AWS_PROFILE names, is in neither of its files")
    }
    self.settings = settings ?? [:]
    self.credentials = keys[name] ?? [:]
  }

  /// The path of the credentials file, or nil where there is no `HOME`.
  public static func credentialsFile(_ variable: (String) -> String?) -> String? {
    path("AWS_SHARED_CREDENTIALS_FILE", "credentials", variable)
  }

  /// The path of the configuration file.
  public static func configurationFile(_ variable: (String) -> String?) -> String? {
    path("AWS_CONFIG_FILE", "config", variable)
  }

  /// Expands a `~`, as Amazon's tools do, since no shell does so inside quotation marks.
  private static func path(_ name: String, _ usual: String, _ variable: (String) -> String?) -> String? {
    guard let given = variable(name) else { return variable("HOME").map { "\($0)/.aws/\(usual)" } }
    guard given.hasPrefix("~/"), let home = variable("HOME") else { return given }
    return home + given.dropFirst(1)
  }

  /// The account. Without any keys its requests are not signed.
  public func account() throws(Mistake) -> S3Account {
    let region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") ?? settings["region"] ?? "us-east-1"
    guard region.utf8.allSatisfy({ PercentCoding.isUnreserved($0) && $0 != UInt8(ascii: ".") }) else {
      throw Mistake(
        reason: "'\(PercentCoding.escapingControls(region))' is no region (AWS_REGION, or region in the profile)")
    }
    var addressing = S3Account.Addressing.auto
    if let word = settings["s3.addressing_style"] {
      guard let known = S3Account.Addressing(rawValue: word) else {
        throw Mistake(reason: "addressing_style of the profile '\(name)' is neither auto, path nor virtual")
      }
      addressing = known
    }
    return S3Account(endpoint: try endpoint(), region: region, keys: try keys(), addressing: addressing)
  }

  private func endpoint() throws(Mistake) -> WebURL? {
    let text = variable("AWS_ENDPOINT_URL_S3") ?? variable("AWS_ENDPOINT_URL") ?? settings["endpoint_url"]
    guard let text else { return nil }
    let failure: String
    do throws(URLFailure) {
      let url = try WebURL(text)
      if url.query == nil, url.userInfo == nil { return url }
      failure = "it may have neither a query nor user info"
    } catch { failure = "\(error)" }
    throw Mistake(reason: "\(WebURL.masked(text)) (AWS_ENDPOINT_URL, or endpoint_url in the profile): \(failure)")
  }

  private func keys() throws(Mistake) -> S3Account.Keys? {
    if let access = variable("AWS_ACCESS_KEY_ID"), let secret = variable("AWS_SECRET_ACCESS_KEY") {
      return try checked(access, secret, variable("AWS_SESSION_TOKEN"))
    }
    for source in [credentials, settings] {
      guard let access = source["aws_access_key_id"], let secret = source["aws_secret_access_key"] else { continue }
      return try checked(access, secret, source["aws_session_token"])
    }
    for way in Self.otherWays where settings[way] != nil || credentials[way] != nil {
      throw Mistake(
        reason: "the profile '\(name)' has no keys but \(way), which is not supported; "
          + "run: eval \"$(aws configure export-credentials --format env)\"")
    }
    return nil
  }

  /// The settings by which a profile names another source of its keys: a program or a service.
  private static let otherWays = [
    "credential_process", "role_arn", "sso_session", "sso_start_url", "web_identity_token_file", "login_session",
  ]

  private func checked(_ access: String, _ secret: String, _ token: String?) throws(Mistake) -> S3Account.Keys {
    guard access.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ",") })
    else {
      throw Mistake(reason: "the access key has characters that no access key has")
    }
    guard token?.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) ?? true else {
      throw Mistake(reason: "the session token has characters that no session token has")
    }
    return S3Account.Keys(accessKey: access, secretKey: secret, sessionToken: token)
  }

  /// The sections of a file by their names. An indented line belongs to the name above: `s3 =`, then `addressing_style
  /// = path`, is `s3.addressing_style`. Unreadable lines are skipped, since other programs' settings are there as well.
  static func sections(of text: String) -> [String: [String: String]] {
    var sections: [String: [String: String]] = [:]
    var section: String?
    var above: String?
    for line in text.split(whereSeparator: \.isNewline) {
      let isIndented = line.first == " " || line.first == "\t"
      let words = trimmed(line)
      if words.isEmpty || words.hasPrefix("#") || words.hasPrefix(";") { continue }
      if !isIndented, words.hasPrefix("["), let end = words.firstIndex(of: "]") {
        let name = words[words.index(after: words.startIndex)..<end].split(whereSeparator: { $0 == " " || $0 == "\t" })
        section = name.joined(separator: " ")
        above = nil
        continue
      }
      guard let section, let equals = words.firstIndex(of: "=") else { continue }
      let key = trimmed(words[..<equals]).lowercased()
      let value = String(trimmed(words[words.index(after: equals)...]))
      if isIndented, let above {
        sections[section, default: [:]]["\(above).\(key)"] = value
      } else {
        above = value.isEmpty ? key : nil
        sections[section, default: [:]][key] = value.isEmpty ? nil : value
      }
    }
    return sections
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}
