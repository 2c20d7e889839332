extension GetSettings {
  /// What each option may say by itself but not beside the others. Nothing has been done yet when this fails.
  func checkTogether(_ reader: SettingsReader) throws(UsageError) {
    let command = reader.command
    guard !selection.urls.isEmpty || !selection.inputs.isEmpty else {
      throw UsageError(
        "there is nothing to fetch: give a URL, or a list with -i FILE (-i - for standard input)", of: command)
    }
    try checkOneURL(reader)
    try checkPolicy(reader)
    if output.overwrite && !output.clobber {
      throw UsageError("--overwrite replaces files and --no-clobber keeps them; give one of the two", of: command)
    }
    if selection.denyPrivate, let proxy = network.proxy.description {
      throw UsageError(
        "--deny-private cannot be kept through \(proxy), which makes the connections itself; add --no-proxy",
        of: command)
    }
    if report.checksum && !report.isJSON && report.writeOut == nil && report.file == nil, isTyped(.checksum, reader) {
      throw UsageError("--checksum has nowhere to show it: add --json, --write-out or --report", of: command)
    }
    if let file = report.file, file == output.failedList {
      throw UsageError("--report and --failed-list cannot both be written to \(file)", of: command)
    }
    if selection.nullEnded && selection.inputs.isEmpty, isTyped(.null, reader) {
      throw UsageError("-0 is about the records of a list: add --input FILE", of: command)
    }
  }

  /// `-o`, `--mirror` and `--cache-key` speak of one image.
  private func checkOneURL(_ reader: SettingsReader) throws(UsageError) {
    guard selection.urls.count != 1 || !selection.inputs.isEmpty else { return }
    for id in [FlagID.output, .mirror, .cacheKey] {
      guard let entry = reader.resolved[id], entry.isSet else { continue }
      throw UsageError(
        "\(entry.source.naming(id.flag)) is for one URL, and there are more"
          + (id == .output ? "; --output-dir DIR takes any number" : ""), of: reader.command)
    }
  }

  private func checkPolicy(_ reader: SettingsReader) throws(UsageError) {
    let policy = cache.policy
    if reader.command == .prefetch, policy == .off || policy == .memory {
      throw UsageError(
        "prefetch fills the disk cache, and --cache \(policy.rawValue) stores nothing there", of: .prefetch)
    }
    if !policy.usesDisk { try checkDiskIsUsed(reader) }
    guard policy != .http && policy != .off else { return }
    for header in identity.headers {
      let name = header.name.lowercased()
      guard name == "range" || name.hasPrefix("if-") else { continue }
      throw UsageError(
        "the header field \(header.name) asks for less than the image, which --cache \(policy.rawValue) would take for "
          + "all of it; add --cache off or --cache http", of: reader.command)
    }
  }

  /// What is about the disk cache contradicts a policy that leaves it alone, where one source says both.
  private func checkDiskIsUsed(_ reader: SettingsReader) throws(UsageError) {
    guard let said = reader.resolved[.cache] else { return }
    for id in [FlagID.readOnlyCache, .cacheDerived, .skipFailed] {
      guard let entry = reader.resolved[id], entry.isSet, entry.source.strength == said.source.strength else {
        continue
      }
      throw UsageError(
        "\(entry.source.naming(id.flag)) needs the disk cache, which \(said.source.naming(FlagID.cache.flag)) "
          + "\(cache.policy.rawValue) leaves alone", of: reader.command)
    }
  }

  private func isTyped(_ id: FlagID, _ reader: SettingsReader) -> Bool {
    if case .commandLine? = reader.resolved[id]?.source { true } else { false }
  }
}
