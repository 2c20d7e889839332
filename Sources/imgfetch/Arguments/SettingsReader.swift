import ImgfetchCore
import ImgfetchDataSet

/// Reads the resolved options into settings, each according to its row of the table. Defaults are parsed like typed
/// values, so that each default is defined in one place, the one that help shows.
struct SettingsReader {
  let options: ResolvedOptions
  let command: Command
  let environment: Environment

  func settings(_ arguments: Arguments) throws(UsageError) -> Settings {
    var settings = Settings()
    settings.operands = arguments.operands
    for group in Flag.groups {
      for flag in group where flag.commands.contains(CommandSet(command)) && !flag.isStep {
        try read(flag, into: &settings)
      }
    }
    try readSteps(arguments, into: &settings)
    try complete(&settings)
    return settings
  }

  func inspection(_ arguments: Arguments) throws(UsageError) -> Settings {
    let settings = try settings(arguments)
    guard !settings.operands.isEmpty || !settings.list.inputs.isEmpty else {
      throw UsageError(
        "there is nothing to inspect: give a file, a folder with -r, a list with -i, or - for standard input",
        of: .inspect)
    }
    if let list = settings.list.inputs.first(where: StoreAddress.isURL) {
      throw UsageError(
        "\(WebURL.masked(list)): the list of inspect is a file or standard input, not a URL", of: .inspect)
    }
    guard settings.operands.count(where: { $0 == "-" }) + settings.list.inputs.count(where: { $0 == "-" }) < 2 else {
      throw UsageError("standard input can be read once", of: .inspect)
    }
    if settings.rows.same != nil {
      guard settings.operands.count == 2, settings.list.inputs.isEmpty, settings.rows.duplicates == nil else {
        throw UsageError("--same compares two files, and nothing else", of: .inspect)
      }
    }
    if settings.rows.duplicates == nil, isTyped(.keep) {
      throw UsageError("--keep is about duplicates: add --duplicates", of: .inspect)
    }
    for id in [FlagID.checksum, .fingerprint, .exif] where !settings.report.isJSON && isTyped(id) {
      throw UsageError("\(id.flag.spelling) has nowhere to show it: add --json", of: .inspect)
    }
    return settings
  }

  private func read(_ flag: Flag, into settings: inout Settings) throws(UsageError) {
    switch flag.kind {
    case .toggle(let set): set(&settings, options.isOn(flag))
    case .counter(let set): set(&settings, options.count(flag))
    // It has set the value of the other option already.
    case .shorthand: break
    case .argument(_, _, let read):
      if case .values(let values)? = options[flag.id]?.state {
        for value in flag.isRepeatable ? values[...] : values.suffix(1) {
          try check(value.text, flag, value.source, read, &settings)
        }
      } else if let text = flag.defaultValue {
        try check(text, flag, .defaultValue, read, &settings)
      }
    }
  }

  private func check(
    _ text: String, _ flag: Flag, _ source: Source,
    _ read: (inout Settings, String) throws(ValueError) -> Void, _ settings: inout Settings
  ) throws(UsageError) {
    do {
      try read(&settings, expandingHome(text, flag, source))
    } catch {
      // A secret must not appear in a message, which may end up in a log.
      let flaw = flag.secret != nil ? "has a wrong value" : "cannot be '\(Secrets.masked(text, of: flag))'"
      throw UsageError("\(source.naming(flag)) \(flaw): \(error.text)", of: command)
    }
  }

  /// Expands `~/` in the configuration file, since no shell does.
  private func expandingHome(_ text: String, _ flag: Flag, _ source: Source) -> String {
    guard case .file = source, text.hasPrefix("~/"), let home = environment.home else { return text }
    switch flag.completion {
    case .files, .folders: return home + text.dropFirst(1)
    case .words, .list, .nothing: return text
    }
  }

  /// Steps are applied in the order in which they were typed, and may be repeated. A negation removes the earlier ones
  /// of its kind.
  private func readSteps(_ arguments: Arguments, into settings: inout Settings) throws(UsageError) {
    var ids: [FlagID] = []
    for option in arguments.options where option.id.flag.isStep {
      let flag = option.id.flag
      switch (flag.kind, option.value) {
      case (_, .negated):
        for at in ids.indices.reversed() where ids[at] == option.id {
          ids.remove(at: at)
          settings.transform.steps.remove(at: at)
        }
        continue
      case (.toggle(let set), .on): set(&settings, true)
      case (.argument(_, _, let read), .text(let text)):
        try check(text, flag, .commandLine(option.spelling), read, &settings)
      default: continue
      }
      ids.append(option.id)
    }
    // Given by itself it makes the image upright, and does nothing else.
    if let orienting = arguments.options.last(where: { $0.id == .autoOrient }), case .on = orienting.value {
      settings.transform.steps.insert(.autoOrient, at: 0)
    }
    for (at, step) in settings.transform.steps.enumerated() {
      guard case .resize(var resize) = step else { continue }
      resize.fit = settings.fit
      resize.pads = settings.pads
      settings.transform.steps[at] = .resize(resize)
    }
  }
}

// Settings that depend on the environment or on several options.
extension SettingsReader {
  private func complete(_ settings: inout Settings) throws(UsageError) {
    if settings.fetcher.cacheFolder == nil {
      settings.fetcher.cacheFolder =
        environment.baseFolder("XDG_CACHE_HOME", underHome: ".cache").map { $0 + "/imgfetch" }
    }
    settings.fetch.keyFilter = settings.cache.keys.filter
    settings.fetch.believesServers = options.strength(.maxAge) == Source.defaultValue.strength
    // An image that a run has fetched stays fresh for a minute: else five lines with one URL would be five requests.
    settings.fetch.leastAge = 60
    // A run cleans at its end, and no list pays for images that are asked for once.
    settings.fetcher.maximumDiskSize = nil
    settings.fetcher.maximumAge = nil
    settings.fetcher.readsMemoryFiles = false
    settings.product = Self.product(of: command)
    settings.list.columns.goAlong = settings.product == .dataSet
    // A dry run waits for no server, so that its rows need not come out of order.
    if command == .get, settings.rows.unique != nil || settings.cache.isDryRun { settings.report.ordered = true }
    // Without the option, the terminal's own background is left.
    if command == .show, options[.background] != nil { settings.show.background = settings.transform.background }
    guard CommandSet.asking.contains(CommandSet(command)) else { return }
    if command == .find { settings.find.sources = settings.operands }
    if settings.output.overwrite, !settings.output.clobber {
      // Both from the same source are an error, which checkTogether reports.
      let (keeps, replaces) = (options.strength(.clobber), options.strength(.overwrite))
      if keeps > replaces { settings.output.overwrite = false }
      if keeps < replaces { settings.output.clobber = true }
    }
    if settings.credentials.usesNetrc {
      guard let home = environment.home else {
        throw UsageError("--netrc reads ~/.netrc, and HOME is not set", of: command)
      }
      settings.credentials.netrc = home + "/.netrc"
    }
    settings.fetcher.libcurl = try LibcurlSetting.choice(environment)
    // As curl has it: its own variable stands before those of OpenSSL.
    let bundle = environment.filled("CURL_CA_BUNDLE")
    settings.fetcher.systemCertificates = bundle ?? environment.filled("SSL_CERT_FILE")
    settings.fetcher.systemCertificateFolder = bundle == nil ? environment.filled("SSL_CERT_DIR") : nil
    if settings.product == .dataSet {
      settings.fetcher.sharedHosts = settings.dataSet.splitHosts
      settings.fetcher.sharingProcesses = ShardRule(settings).sharers
    }
    try completeProxy(&settings)
    try checkTogether(settings)
    // A cache that is not used need not be opened, and its errors do not matter.
    if !settings.fetch.policy.usesDisk {
      settings.fetcher.cacheFolder = nil
      settings.fetcher.readOnlyCaches = []
      settings.remoteCache.address = nil
    }
  }

  /// Returns what a command makes of images. Those that fetch none count as makers of outputs.
  private static func product(of command: Command) -> Product {
    switch command {
    case .prefetch: .entries
    case .pack: .dataSet
    default: .outputs
    }
  }

  private func completeProxy(_ settings: inout Settings) throws(UsageError) {
    if settings.proxy == .none, options[.proxy]?.state != .negated {
      // HTTP_PROXY in capitals is not read: in a web server's CGI, a request's Proxy field sets it.
      let http = environment.filled("http_proxy")
      let https = environment.filled("https_proxy") ?? environment.filled("HTTPS_PROXY")
      let all = environment.filled("all_proxy") ?? environment.filled("ALL_PROXY")
      let no = environment.filled("no_proxy") ?? environment.filled("NO_PROXY")
      // Unknown schemes and hosts are left to libcurl: they may be meant for other programs.
      for (name, value) in [("http_proxy", http), ("https_proxy", https), ("all_proxy", all)] {
        guard let value, !RequestText.isCredential(escaped: value) else { continue }
        throw UsageError("\(name) holds control characters in its name or password", of: command)
      }
      // `*` matches every host, so there is no proxy.
      let isUsed = (http != nil || https != nil || all != nil) && no != "*"
      settings.proxy = isUsed ? .variables(http: http, https: https, all: all, no: no) : .none
    }
    switch settings.proxy {
    case .none: break
    case .url(let url): (settings.fetcher.httpProxy, settings.fetcher.httpsProxy) = (url, url)
    case .variables(let http, let https, let all, let no):
      settings.fetcher.httpProxy = http ?? all
      settings.fetcher.httpsProxy = https ?? all
      settings.fetcher.proxyExceptions = no
    }
  }

  /// Checks combinations of options. Nothing has been done yet when this fails.
  private func checkTogether(_ settings: Settings) throws(UsageError) {
    guard
      !settings.operands.isEmpty || !settings.list.inputs.isEmpty || !settings.find.sources.isEmpty
        || settings.dataSet.isAgain
    else {
      if command == .find {
        throw UsageError("there is no source: give a URL, a file, or - for standard input", of: command)
      }
      if command == .show {
        throw UsageError("there is nothing to show: give a URL or a file, or a list with -i FILE", of: command)
      }
      throw UsageError(
        "there is nothing to fetch: give a URL, or a list with -i FILE (-i - for standard input)", of: command)
    }
    try checkSources(settings)
    try checkOneURL(settings)
    try checkPolicy(settings)
    try checkFilter(settings)
    if settings.fetch.policy == .only, let list = settings.list.inputs.first(where: StoreAddress.isURL) {
      throw UsageError(
        "the list \(WebURL.masked(list)) is at a URL, and --cache only sends no request; give a file", of: command
      )
    }
    if command == .pack {
      try checkDataSet(settings)
    } else if let folder = settings.output.folder, StoreAddress.isURL(folder) {
      try checkPlace(folder, settings.output)
    }
    if settings.output.single == .standardOutput { try checkStandardOutput(settings.output) }
    if settings.transform.strips && settings.transform.keepsMetadata {
      throw UsageError("--strip removes metadata and --keep-metadata takes it along; give one of the two", of: command)
    }
    if settings.output.overwrite && !settings.output.clobber {
      throw UsageError("--overwrite replaces files and --no-clobber keeps them; give one of the two", of: command)
    }
    if settings.fetch.publicAddressesOnly, let proxy = settings.proxy.description {
      throw UsageError(
        "--deny-private cannot be kept through \(proxy), which makes the connections itself; add --no-proxy",
        of: command)
    }
    let report = settings.report
    // The rows in a shard hold it.
    let showsChecksum = report.isJSON || report.writeOut != nil || report.file != nil || command == .pack
    if report.checksum && !showsChecksum, isTyped(.checksum) {
      throw UsageError("--checksum has nowhere to show it: add --json, --write-out or --report", of: command)
    }
    try checkFilesBesideImages(settings)
    try checkLists(settings)
    if settings.list.isNullEnded && settings.list.inputs.isEmpty, isTyped(.null) {
      throw UsageError("-0 is about the records of a list: add --input FILE", of: command)
    }
  }

  /// The files of `--report` and `--failed-list` are neither each other, nor a list that is read, nor the image.
  private func checkFilesBesideImages(_ settings: Settings) throws(UsageError) {
    let report = settings.report
    let streams = [report.file, settings.output.failedList].map { $0.flatMap(ProcessEnvironment.stream(named:)) }
    if settings.output.single == .standardOutput, streams.contains(1) {
      throw UsageError("-o - writes the image to standard output: nothing else may go there", of: command)
    }
    if let file = report.file, let list = settings.output.failedList,
      streams[0] != nil || streams[1] != nil ? streams[0] == streams[1] : AtomicFile.isSame(file, list)
    {
      throw UsageError("--report and --failed-list cannot both be written to \(file)", of: command)
    }
    if let file = report.file, streams[0] == 1 { try checkStandardOutput(of: file, settings) }
    if let file = report.file, streams[0] == nil,
      settings.list.inputs.contains(where: { $0 != "-" && AtomicFile.isSame($0, file) })
    {
      throw UsageError("--report would be written over the list \(file)", of: command)
    }
    try checkImage(settings.output, against: report.file, of: "--report")
    try checkImage(settings.output, against: settings.output.failedList, of: "--failed-list")
  }

  private func checkImage(_ output: OutputSettings, against file: String?, of name: String) throws(UsageError) {
    if let file, case .file(let image) = output.single, ProcessEnvironment.stream(named: file) == nil,
      AtomicFile.isSame(file, image)
    {
      throw UsageError("\(name) would be written over the image \(file)", of: command)
    }
  }

  /// Standard output holds the rows of `--report` or those of the run, not both.
  private func checkStandardOutput(of file: String, _ settings: Settings) throws(UsageError) {
    if settings.report.isJSON {
      throw UsageError("--report \(file) and --json would write each row to standard output twice", of: command)
    }
    if settings.dataSet.printsRows {
      throw UsageError("--report \(file) and --rows would both write to standard output", of: command)
    }
    if settings.report.writeOut != nil {
      throw UsageError("--report \(file) and --write-out would both write to standard output", of: command)
    }
    guard settings.messages.quiet else {
      throw UsageError(
        "--report \(file) writes JSON to standard output, where the rows of this run go, too: add -q, or give --json in its place",
        of: command)
    }
  }

  private func checkLists(_ settings: Settings) throws(UsageError) {
    let format = settings.list.format
    guard !settings.list.isNullEnded || format == .lines else {
      throw UsageError("-0 is about lists of lines, and --list-format says \(format.rawValue)", of: command)
    }
    guard
      settings.list.columns.url == nil || format != .lines || !isTyped(.urlColumn) || !settings.find.sources.isEmpty
    else {
      throw UsageError("--url-column is about tables: add --list-format csv, tsv or jsonl", of: command)
    }
  }

  /// True if there are sources beside the images of a run.
  private func hasSources(_ settings: Settings) -> Bool { command != .find && !settings.find.sources.isEmpty }

  private func checkSources(_ settings: Settings) throws(UsageError) {
    if let empty = settings.find.sources.first(where: \.isEmpty) {
      throw UsageError("'\(empty)' names nothing", of: command)
    }
    let operands = command == .show ? settings.operands : []
    let streams = (settings.find.sources + operands).count { $0 == "-" }
    if streams + settings.list.inputs.count(where: { $0 == "-" }) > 1, streams > 0 {
      throw UsageError("standard input can be read once", of: command)
    }
    if hasSources(settings), settings.dataSet.isAgain {
      throw UsageError("--again reads the rows of shards, and no source; leave --from out", of: command)
    }
    if hasSources(settings), settings.dataSet.extends {
      throw UsageError("--extend reads the list twice: give one that is a file", of: command)
    }
  }

  /// Checks the options for standard output, which is no file. Those of a configuration file are meant for other runs.
  private func checkStandardOutput(_ output: OutputSettings) throws(UsageError) {
    let ofFiles: [(FlagID, Bool)] = [
      (.placeholder, output.placeholder != nil), (.remoteTime, output.remoteTime), (.xattr, output.setsAttributes),
    ]
    for (id, isOn) in ofFiles where isOn && isTyped(id) {
      throw UsageError("\(id.flag.spelling) is about files, and -o - writes to standard output", of: command)
    }
  }

  /// Checks the options for a place, which has neither files nor their times.
  private func checkPlace(_ place: String, _ output: OutputSettings) throws(UsageError) {
    let ofFiles: [(FlagID, Bool)] = [
      (.placeholder, output.placeholder != nil), (.remoteTime, output.remoteTime), (.xattr, output.setsAttributes),
      (.adopt, output.adopts), (.prune, output.prune != nil),
    ]
    for (id, isOn) in ofFiles where isOn {
      let name = options[id]?.source.naming(id.flag) ?? id.flag.spelling
      throw UsageError("\(name) is about files, and \(WebURL.masked(place)) is a place", of: command)
    }
  }

  private func checkDataSet(_ settings: Settings) throws(UsageError) {
    guard settings.operands.isEmpty else {
      throw UsageError(
        "a data set is made of a list: give it with -i FILE (-i - for standard input), or a source with --from",
        of: command)
    }
    guard settings.output.folder != nil else {
      throw UsageError("where the shards go is missing: add -d DIR", of: command)
    }
    let columns = settings.list.columns
    // The records of --again have the columns of the list that they come from.
    let isOfLines = !settings.dataSet.isAgain && (!hasSources(settings) || !settings.list.inputs.isEmpty)
    if isOfLines, settings.list.format == .lines, !columns.named.isEmpty {
      throw UsageError(
        "a list of lines has no columns: --list-format csv, tsv or jsonl says which table it is", of: command)
    }
    if let name = columns.ambiguous {
      throw UsageError(
        "--url-column, --caption-column and --id-column are about three columns, and two of them name "
          + SafeText.text(name), of: command)
    }
    if settings.dataSet.extends {
      guard !settings.list.inputs.contains(where: { $0 == "-" || StoreAddress.isURL($0) }) else {
        throw UsageError("--extend reads the list twice: give one that is a file", of: command)
      }
      guard settings.output.folder.map(StoreAddress.isURL) != true else {
        throw UsageError("--extend replaces a shard, which no place can do safely: give a folder", of: command)
      }
      guard !settings.dataSet.isAgain else {
        throw UsageError("--again reads no list, which --extend is about; give one of the two", of: command)
      }
    }
    guard settings.dataSet.splitHosts.isEmpty || settings.dataSet.shardBy == .host else {
      throw UsageError("--split-host is about parts that are hosts: add --shard-by host", of: command)
    }
  }

  /// `-o`, `--mirror` and `--cache-key` are for one image.
  private func checkOneURL(_ settings: Settings) throws(UsageError) {
    if settings.report.isFramed, settings.output.single != .standardOutput, isTyped(.framed) {
      throw UsageError("--framed writes images to standard output: add -o -", of: command)
    }
    guard settings.operands.count != 1 || !settings.list.inputs.isEmpty || hasSources(settings) else { return }
    for id in [FlagID.output, .mirror, .cacheKey] {
      guard let entry = options[id], entry.isSet else { continue }
      if id == .output, settings.output.isFramed(settings.report) { continue }
      throw UsageError(
        "\(entry.source.naming(id.flag)) is for one URL, and there are more"
          + (id == .output ? "; --output-dir DIR takes any number" : ""), of: command)
    }
  }

  private func checkPolicy(_ settings: Settings) throws(UsageError) {
    let policy = settings.fetch.policy
    if command == .prefetch, !policy.usesDisk {
      throw UsageError(
        "prefetch fills the disk cache, and --cache \(policy.rawValue) stores nothing there", of: .prefetch)
    }
    if !policy.usesDisk { try checkDiskIsUsed(policy) }
    guard policy != .http && policy != .off else { return }
    for header in settings.fetch.headers {
      let name = header.name.lowercased()
      guard name == "range" || name.hasPrefix("if-") else { continue }
      throw UsageError(
        "the header field \(header.name) asks for less than the image, which --cache \(policy.rawValue) would take for "
          + "all of it; add --cache off or --cache http", of: command)
    }
  }

  /// Options about the disk cache contradict a policy that does not use it, if both come from one source.
  private func checkDiskIsUsed(_ policy: CachePolicy) throws(UsageError) {
    guard let given = options[.cache] else { return }
    for id in [FlagID.readOnlyCache, .cacheDerived, .skipFailed, .remoteCache] {
      guard let entry = options[id], entry.isSet, entry.source.strength == given.source.strength else { continue }
      throw UsageError(
        "\(entry.source.naming(id.flag)) needs the disk cache, which \(given.source.naming(FlagID.cache.flag)) "
          + "\(policy.rawValue) leaves alone", of: command)
    }
  }

  private func isTyped(_ id: FlagID) -> Bool {
    if case .commandLine? = options[id]?.source { true } else { false }
  }
}

extension Settings {
  /// Settings that are valid but probably not intended: one line each, for a warning.
  var remarks: [String] {
    var remarks: [String] = []
    if let template = report.writeOut, !Templates.hasField(template) {
      // wget's -w is a pause.
      let isNumber = Values.numberAndUnit(template) != nil
      remarks.append(
        "the template '\(template)' of --write-out has no field in braces, so it prints the same for every image"
          + (isNumber ? "; for a pause between requests there is --rate" : ""))
    } else if report.writeOut?.holds("%{") == true {
      remarks.append("a field of --write-out is {url}, and not %{url} as with curl: the % is printed")
    }
    if let url = operands.first(where: Self.looksLikeSeveral) {
      remarks.append(
        "\(MaskedText.of(url)): braces and brackets stand for themselves in URLs; an unquoted {a,b} is expanded by most shells, "
          + "and -i reads a list")
    }
    return remarks
  }

  /// True if curl would expand the text to several URLs: `{a,b}`, `[1-10]`. Brackets alone are common in queries
  /// (`?id[]=1`).
  private static func looksLikeSeveral(_ url: String) -> Bool {
    func holds(_ open: Character, _ close: Character, _ isPattern: (Substring) -> Bool) -> Bool {
      guard let start = url.firstIndex(of: open), let end = url[start...].firstIndex(of: close) else { return false }
      return isPattern(url[url.index(after: start)..<end])
    }
    return holds("{", "}") { !$0.isEmpty } || holds("[", "]") { $0.contains("-") }
  }
}
