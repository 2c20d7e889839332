import ImgfetchCore

/// One run of a `cache` command, on an open cache.
struct CacheRun {
  let cache: DiskCache
  let settings: Settings
  let report: CacheReport
  let messages: Messages

  /// Returns the exit code.
  func run(_ action: CacheAction) throws -> Int32 {
    switch action {
    case .size: try size()
    case .path(let url): try path(url)
    case .clean: try clean()
    case .clear: try clear()
    case .remove(let patterns): try remove(patterns)
    case .list(let patterns): try list(patterns)
    case .info(let urls): try info(urls)
    case .add(let url, let file): try add(url, file)
    case .verify: verify()
    }
  }

  func url(_ text: String) throws(FetchError) -> WebURL {
    do { return try settings.list.urls.url(text) } catch { throw FetchError(.refused, WebURL.masked(text), "\(error)") }
  }

  func key(_ url: WebURL) -> CacheKey { cache.key(settings.fetch.keyFilter.key(for: url), of: url) }

  /// The keys that a text can mean: that of a URL; a key as `cache list` prints it, which contains a bar if it was made
  /// by a key filter or given by the user; or a key as it was given. Canonical URLs contain no bar, but typed ones may.
  /// Text that is no URL means a given key only where there is an entry: else it is a mistake.
  func keys(meantBy text: String) throws(FetchError) -> [CacheKey] {
    let bar = UInt8(ascii: "|")
    let listed = text.utf8.contains(bar) ? [CacheKey(url: text)] : []
    if text.utf8.first == bar { return listed }
    let given = CacheKey(url: KeyFilter.key(given: text))
    do throws(FetchError) { return listed + [key(try url(text)), given] } catch {
      guard (try? has(given)) == true else { throw error }
      return [given]
    }
  }

  /// The first that `look` finds of the keys that a text can mean. Each is looked for once: a second look may find
  /// nothing any more, since the entry was removed meanwhile or the disk fails.
  func first<Found>(meantBy text: String, _ look: (CacheKey) -> Found?) throws(FetchError) -> Found? {
    for key in try keys(meantBy: text) {
      if let found = look(key) { return found }
    }
    return nil
  }
}

// `cache size` and `cache path`.
extension CacheRun {
  func size() throws -> Int32 {
    guard settings.cache.isExact else {
      print(try cache.size(), allocated: nil)
      return ExitCode.success
    }
    let exact = try cache.exactRoom()
    print(exact.usage, allocated: exact.allocated)
    return ExitCode.success
  }

  /// Prints the size of a cache.
  ///
  /// - Parameter allocated: the bytes that the disk has allocated for the entries, or nil if that is not known.
  private func print(_ usage: CacheUsage, allocated: Int64?) {
    switch report.form {
    case .words:
      let images = "\(Amount.size(usage.bytes)) in \(Amount.count(Int(clamping: usage.entries), "image"))"
      report.print(images + (allocated.map { "; the disk has allocated \(Amount.size($0))" } ?? ""))
    case .lines: report.print("\(usage.bytes)\t\(usage.entries)")
    case .json:
      guard let allocated else { return report.print(usage.json) }
      report.print("{\"entries\":\(usage.entries),\"bytes\":\(usage.bytes),\"allocated\":\(allocated)}")
    }
  }

  func path(_ text: String?) throws -> Int32 {
    guard let text else {
      print(path: cache.path)
      return ExitCode.success
    }
    guard let path = try first(meantBy: text, { cache.path(of: $0) }) else { return tellAbsent(text) }
    print(path: path)
    return ExitCode.success
  }

  /// Says that an image is not in the cache. An entry of other askers is none for this command, which takes no
  /// credentials but a bucket's account, and is listed all the same.
  func tellAbsent(_ text: String) -> Int32 {
    let isOfOthers = (try? keys(meantBy: text).contains { try has($0) }) == true
    let others = ", but for other askers, such as those with credentials or cookies (see 'imgfetch cache list')"
    messages.error("\(WebURL.masked(text)): not in the cache\(isOfOthers ? others : "")")
    return ExitCode.notCached
  }

  /// Printed unchanged, since the caller wants to open that file.
  private func print(path: String) {
    guard report.form == .json else { return report.print(path) }
    report.print { buffer in ObjectWriter.appendLine(to: &buffer) { $0.text("path", path) } }
  }
}

// `cache clean` and `cache clear`.
extension CacheRun {
  func clean() throws -> Int32 {
    let isDryRun = settings.cache.isDryRun
    let (age, size) = (settings.fetch.ageLimit, settings.cache.sizeLimit)
    func show(_ entry: DiskCache.Listed) -> Bool {
      print(entry)
      return !report.hasLostReader
    }
    let done =
      try isDryRun
      ? cache.listCleaning(maximumAge: age, maximumSize: size, show) : cache.clean(maximumAge: age, maximumSize: size)
    let verb = isDryRun ? "would remove" : "removed"
    let litter = done.temporaries == 0 ? "" : " and \(Amount.count(done.temporaries, "leftover file"))"
    report.action(
      words: "\(verb) \(done.removed.words)\(litter); \(done.left.words) left",
      lines: [done.removed.line, done.left.line],
      json: """
        {"removed":\(done.removed.json),"left":\(done.left.json),"leftovers":\(done.temporaries),"dry_run":\(isDryRun)}
        """)
    if let failure = done.failure { throw CacheFailure.notRemoved(failure) }
    return ExitCode.success
  }

  func clear() throws -> Int32 {
    report(removed: try cache.clear())
    return ExitCode.success
  }

  func report(removed: CacheUsage) {
    report.action(words: "removed \(removed.words)", lines: [removed.line], json: "{\"removed\":\(removed.json)}")
  }
}

// `cache verify`.
extension CacheRun {
  /// Exits with 5 if an entry is damaged, even if it was removed: the image is lost in either case. If some cannot be
  /// read, so that it is not known of them, it exits with 7.
  func verify() -> Int32 {
    let repairing = settings.cache.repairs
    let found = cache.verify(repairing: repairing)
    for damaged in found.damaged {
      let fate = damaged.obstacle.map { ", and cannot be removed: \($0)" } ?? (repairing ? " and was removed" : "")
      messages.error("\(damaged.url ?? damaged.path): the cached image is damaged\(fate)")
    }
    for unread in found.unread { messages.error("\(unread.path): cannot be read: \(unread.reason)") }
    let untold = found.unreadCount - found.unread.count
    if untold > 0 { messages.error("\(Amount.grouped(untold)) more cannot be read") }
    let isRepaired = repairing && found.damaged.allSatisfy { $0.obstacle == nil }
    if found.newer > 0 {
      messages.warn(
        "\(Amount.count(found.newer, "image")) of a format that a newer imgfetch wrote: not looked at, and left alone")
    }
    report.action(
      words: words(found, isRepaired),
      lines: found.damaged.map { damaged in
        var line: [UInt8] = []
        SafeText.append(damaged.url ?? "-", to: &line, for: .program)
        line.append(UInt8(ascii: "\t"))
        SafeText.append(path: damaged.path, to: &line)
        return String(decoding: line, as: UTF8.self)
      },
      json: json(found, isRepaired))
    guard found.damaged.isEmpty else { return ExitCode.image }
    return found.unread.isEmpty ? ExitCode.success : ExitCode.file
  }

  private func words(_ found: DiskCache.VerifyReport, _ isRepaired: Bool) -> String {
    if found.damaged.isEmpty, found.unread.isEmpty { return "\(found.sound.words): none is damaged" }
    var words = "\(found.sound.words) right"
    if !found.damaged.isEmpty {
      let fate = isRepaired ? " and removed" : settings.cache.repairs ? "" : "; --repair removes"
      words += ", \(found.damaged.count) damaged\(fate)"
    }
    return words + (found.unread.isEmpty ? "" : ", \(found.unreadCount) not to be read")
  }

  private func json(_ found: DiskCache.VerifyReport, _ isRepaired: Bool) -> String {
    var buffer: [UInt8] = []
    ObjectWriter.append(to: &buffer) { object in
      object.raw("sound") { $0.append(text: found.sound.json) }
      object.array("damaged", found.damaged) {
        $0.text("url", $1.url)
        $0.text("path", $1.path)
      }
      object.array("unread", found.unread) { $0.text("path", $1.path) }
      object.number("unread_total", found.unreadCount)
      object.number("newer", found.newer)
      object.flag("repaired", isRepaired)
    }
    return String(decoding: buffer, as: UTF8.self)
  }
}

// `cache add`, which prints the new entry as `cache list` does.
extension CacheRun {
  func add(_ text: String, _ file: String) throws -> Int32 {
    let verification = settings.fetch.verification
    let limits = PixelLimits(
      maxPixels: settings.fetch.maximumPixels,
      executor: PixelExecutors.make(verification == .decode, isSandboxed: settings.isSandboxed, messages))
    let url = try url(text)
    let source: SharedDescriptor
    do { source = try file == "-" ? .standardInput : SharedDescriptor(.open(file, .read)) } catch {
      throw FetchError(.file, file, "cannot be opened: \(error.code)")
    }
    do throws(AddingFailure) {
      let entry = try cache.add(
        source.file, as: key(url), from: url.displayWithScheme, verification: verification,
        limits: InspectionLimits(maxPixels: limits.maxPixels),
        decode: { body, facts throws(FetchError) in
          do throws(PixelFailure) { try PixelCheck.verify(body, facts, limits) } catch {
            throw error.fetchError(of: file)
          }
        }, dispelsDoubt: { PixelCheck.dispelsDoubt(about: $0, $1, limits) })
      if report.reportsActions { print(entry) }
      return ExitCode.success
    } catch {
      switch error {
      case .unreadable(let error): throw FetchError(.file, file, "cannot be read: \(error.code)")
      case .refused(let failure): throw failure.fetchError(of: file)
      case .damaged(let error): throw error
      case .cache(let failure): throw failure
      }
    }
  }

  func print(_ entry: DiskCache.Listed) {
    if report.form == .words { report.printOnce(EntryReport.heading) }
    report.print { buffer in
      switch report.form {
      case .words: EntryReport.append(forPerson: entry, to: &buffer)
      case .lines: EntryReport.append(fields: entry, to: &buffer)
      case .json: EntryReport.append(json: entry, to: &buffer)
      }
    }
  }
}
