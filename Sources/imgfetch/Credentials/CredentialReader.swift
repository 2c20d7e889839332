import ImgfetchCore

/// Reads credentials from where the settings say: files, and the user at the terminal.
enum CredentialReader {
  /// Reads the credentials.
  ///
  /// - Parameter warn: called with warnings, which do not stop the run.
  static func read(_ settings: Settings, warn: (String) -> Void) throws(RunFailure) -> FetchIdentity {
    var identity = settings.fetcher.identity
    if let user = settings.credentials.user {
      let password = if let given = user.password { given } else { try ask(user.name) }
      identity.login = Login(user: user.name, password: password)
    }
    if let path = settings.credentials.bearerFile { identity.bearer = try bearer(path) }
    if let path = settings.fetcher.certificates { try CredentialFile.check(path, "the certificates of --cacert") }
    let given = settings.credentials
    try check(given.certificate, "--cert", key: given.certificateKey, "--key")
    (identity.certificate, identity.certificateKey) = (given.certificate, given.certificateKey)
    if let path = settings.credentials.netrc { identity.netrc = try netrc(path, warn) }
    if let path = settings.credentials.cookieJar {
      try CredentialFile.refusePipe(path, because: "cookies are written back to it")
      // A missing jar is created, as curl does.
      let text = try CredentialFile.textIfThere(path, "the cookies") ?? ""
      if CookieJar.isForeign(text) {
        let reason = "this is no file of cookies in the format of Netscape and curl, and would be written over"
        throw RunFailure(message: "\(path): \(reason)", exitCode: ExitCode.file)
      }
      identity.jar = CookieJar(text)
      identity.jarName = path.hasPrefix("/") ? path : (ProcessEnvironment.workingFolder ?? "") + "/" + path
    }
    return identity
  }

  /// The cache that several machines share; nil if there is none.
  static func remoteCache(_ settings: Settings, _ accounts: S3AccountReader) throws(RunFailure) -> RemoteCacheSettings?
  {
    do throws(URLFailure) { return try settings.remoteCache.cache(accounts.account) } catch {
      throw failure("the remote cache", error, accounts)
    }
  }

  static func stores(_ settings: Settings) throws(RunFailure) -> StoreIdentity {
    let given = settings.credentials
    var identity = StoreIdentity()
    if let path = given.storeBearerFile { identity.bearer = try bearer(path) }
    try check(given.storeCertificate, "--store-cert", key: given.storeKey, "--store-key")
    (identity.certificate, identity.key) = (given.storeCertificate, given.storeKey)
    return identity
  }

  /// Checks the files of a client's certificate, and of its key.
  private static func check(
    _ certificate: String?, _ option: String, key: String?, _ keyOption: String
  ) throws(RunFailure) {
    if let certificate { try CredentialFile.check(certificate, "the certificate of \(option)") }
    guard let key else { return }
    guard certificate != nil else {
      throw RunFailure(
        message: "\(keyOption) is the key of a certificate: add \(option)", exitCode: UsageError.exitCode)
    }
    try CredentialFile.check(key, "the key of \(keyOption)")
  }

  /// An account that cannot be read is told of as any other file.
  static func failure(_ what: String, _ error: URLFailure, _ accounts: S3AccountReader) -> RunFailure {
    RunFailure(message: "\(what): \(error)", exitCode: accounts.failure?.exitCode ?? UsageError.exitCode)
  }

  /// The place that --output-dir names; nil if that is a folder.
  static func place(_ settings: Settings, _ accounts: S3AccountReader) throws(RunFailure) -> WebURL? {
    guard let text = settings.output.folder, StoreAddress.isURL(text) else { return nil }
    do throws(URLFailure) { return try settings.list.urls.url(text) } catch {
      throw failure("the place of --output-dir", error, accounts)
    }
  }

  private static func ask(_ name: String) throws(RunFailure) -> String {
    let password: String
    do throws(PasswordPrompt.Failure) {
      password = try PasswordPrompt.ask("Password of '\(SafeText.text(name))': ")
    } catch {
      switch error {
      case .noTerminal:
        throw RunFailure(
          message:
            "there is no terminal to ask for the password of '\(name)' at; give it as -u NAME:PASSWORD, or use --netrc",
          exitCode: UsageError.exitCode)
      case .interrupted: throw RunFailure(message: "interrupted", exitCode: ExitCode.ended(by: 2))
      }
    }
    guard RequestText.isCredential(password) else {
      throw RunFailure(
        message: "the password of '\(name)' contains control characters, which is not possible; type it again",
        exitCode: UsageError.exitCode)
    }
    return password
  }

  private static func netrc(_ path: String, _ warn: (String) -> Void) throws(RunFailure) -> Netrc {
    let netrc = Netrc(try CredentialFile.text(path, "the file of --netrc"))
    if let status = try? Descriptor.status(ofFile: path), status.kind == .regular, status.mode & 0o044 != 0 {
      warn("\(path): others can read the passwords in it; 'chmod 600 \(path)' keeps them out")
    }
    if let host = netrc.unsendable {
      let reason =
        netrc.hasOpenQuote
        ? "has a quotation mark that is not closed" : "contains control characters, which is not possible"
      throw RunFailure(
        message: "\(path): the name or password of \(host) \(reason)", exitCode: UsageError.exitCode)
    }
    return netrc
  }

  /// The first line of a file, which must not be empty.
  private static func bearer(_ path: String) throws(RunFailure) -> String {
    let whole = try CredentialFile.text(path, "the token")
    let line = String(whole.utf8.prefix { $0 != 0x0A && $0 != 0x0D }) ?? ""
    let token = String(line.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw RunFailure(message: "\(path): the first line contains no token", exitCode: UsageError.exitCode)
    }
    return token
  }
}

/// Reads files of credentials, which are small and may be private.
enum CredentialFile {
  /// Larger than any of these files.
  private static let limit = 4 << 20

  /// The text of a file.
  ///
  /// - Parameter what: The contents that the file should have, for messages.
  static func text(_ path: String, _ what: String) throws(RunFailure) -> String {
    try text(path, what, unlessMissing: []) ?? ""
  }

  /// The text of a file; nil if there is no such file.
  static func textIfThere(_ path: String, _ what: String) throws(RunFailure) -> String? {
    try text(path, what, unlessMissing: [.noSuchFile, .notDirectory])
  }

  private static func text(_ path: String, _ what: String, unlessMissing missing: [Errno]) throws(RunFailure) -> String?
  {
    let file: GivenFile
    do throws(SystemError) { file = try GivenFile(path, limit: limit) } catch {
      if missing.contains(error.code) { return nil }
      throw RunFailure(message: "\(path): \(what) cannot be read: \(error.code)", exitCode: ExitCode.file)
    }
    guard file.hasWriter else {
      throw RunFailure(
        message: "\(path): \(what) cannot be read: this is a pipe, and no program writes to it", exitCode: ExitCode.file
      )
    }
    guard file.bytes.count <= limit else {
      let reason = file.isRegular ? "too large" : "this device or pipe brings too much"
      throw RunFailure(message: "\(path): \(reason) to hold \(what)", exitCode: ExitCode.file)
    }
    return String(decoding: file.bytes, as: UTF8.self)
  }

  /// Checks a file that libcurl reads with a connection, and would report as a failure of that connection.
  static func check(_ path: String, _ what: String) throws(RunFailure) {
    try refusePipe(path, because: "each connection reads \(what)")
    do throws(SystemError) { _ = try Descriptor.open(path, [.read, .nonBlocking]) } catch {
      throw RunFailure(message: "\(path): \(what) cannot be read: \(error.code)", exitCode: ExitCode.file)
    }
  }

  /// Refuses a pipe by its name, which must not be opened: that alone may lose what another program writes to it. The
  /// pipes of a shell (`/dev/fd/63`) have no name of their own, and stay open.
  static func refusePipe(_ path: String, because reason: String) throws(RunFailure) {
    guard let place = try? AtomicFile.place(of: path), (try? place.folder.file.status(of: place.name)?.isPipe) == true
    else { return }
    throw RunFailure(message: "\(path): this is a pipe, and \(reason): a file is wanted", exitCode: ExitCode.file)
  }
}
