import ImgfetchCore
import ImgfetchReport

/// `report`: reads rows and tells what runs did.
enum ReportCommand {
  static func run(_ settings: Settings, _ environment: Environment) -> Int32 {
    let messages = Messages(isQuiet: settings.messages.quiet)
    let places: ReportPlaces
    do throws(RunFailure) { places = try ReportPlaces(settings, environment, messages) } catch {
      messages.error(error.message)
      return error.exitCode
    }
    let printer = Printer(.standardOutput, flushing: .whenFull)
    do throws(FetchError) { try run(settings, environment, places, printer, messages) } catch {
      printer.flush()
      messages.error(error.message)
      return ExitCode.code(of: error.kind)
    }
    return printer.end(ExitCode(), messages)
  }

  private static func run(
    _ settings: Settings, _ environment: Environment, _ places: ReportPlaces, _ printer: Printer,
    _ messages: Messages
  ) throws(FetchError) {
    let rows = settings.rows
    let lines = RowLineList(printer)
    var reading = ReportReading(
      wanted(rows), tally: ReportTally(), temporaryFolder: environment.temporaryFolder, listing: lines.add)
    if let earlier = rows.against { try reading.readEarlier(try RowInput(earlier, places)) }
    for name in settings.operands { try reading.read(try RowInput(name, places)) }
    reading.finish()
    if reading.tally.rows == 0, reading.tally.shards > 0 {
      throw FetchError(
        .file, settings.operands[0], "it tells of shards, whose rows are in their files: give their folder or place")
    }
    if reading.tally.strange > 0 {
      let strange = reading.tally.strange
      messages.warn(
        "\(Amount.count(strange, "line")) of the input \(strange == 1 ? "is no row" : "are no rows"), and left out")
      if reading.tally.rows == 0, reading.tally.summaries == 0 {
        throw FetchError(.file, settings.operands[0], "there are no rows in it; --report and --json make some")
      }
    }
    if rows.list == .duplicates {
      let rule = rows.duplicates ?? .bytes
      warnOfNothingToCompare(reading, rule, messages)
      list(reading, rule, rows.kept, lines)
    }
    lines.warn(messages)
    let duplicates = findDuplicates(reading, rows)
    var findings = ReportFindings(tally: reading.tally)
    findings.duplicates = duplicates
    findings.changes = reading.changes
    if let path = rows.page {
      let page = ReportPage.bytes(findings, of: reading.shardInputs, settings, messages)
      // Nothing else goes there.
      if ProcessEnvironment.stream(named: path) == 1 { return printer.print { $0 += page } }
      try ReportPage.write(page, to: path)
      if rows.pictures == 0, findings.hasNoPictures {
        messages.warn("\(path) has no pictures: --pictures 60 puts some on the page")
      }
    }
    guard rows.list == nil else { return }
    if let rule = rows.duplicates {
      warnOfNothingToCompare(reading, rule, messages)
      let groups = DuplicateGroups(settings, printer)
      reading.forEachGroup(rule, rows.kept) { group in groups.print(group.map { reading.sample(at: $0) }) }
      groups.end(comparing: rule == .bytes ? reading.checksums.count : reading.looks.count, messages)
    } else if settings.report.isJSON {
      printer.print { ReportObject.append(findings, to: &$0) }
    } else if !settings.messages.quiet {
      ReportText(settings, environment, printer).print(findings)
    }
  }

  /// The number of images that are compared where duplicates are not asked for. Each takes 61 bytes, so a report of any
  /// number of rows and hosts stays within 60 MB.
  private static let mostComparedUnasked = 200_000

  private static func wanted(_ rows: RowSettings) -> ReportReading.Wanted {
    var wanted = ReportReading.Wanted(images: rows.pictures > 0, list: rows.list)
    // Lines that are listed as they come take no memory.
    guard rows.list == nil || rows.list == .duplicates || rows.page != nil else { return wanted }
    switch rows.duplicates {
    case nil:
      if rows.list != .duplicates { wanted.mostCompared = mostComparedUnasked }
      wanted.checksums = true
      if rows.list == nil { wanted.looks = LooksRule() }
    case .bytes?: wanted.checksums = true
    case .looks(let rule)?: wanted.looks = rule
    }
    return wanted
  }

  private static func findDuplicates(_ reading: ReportReading, _ rows: RowSettings) -> [DuplicateFindings] {
    guard rows.page != nil || (rows.list == nil && rows.duplicates == nil) else { return [] }
    let most = rows.page == nil ? 3 : 12
    var rules: [DuplicateRule] = []
    if reading.checksums.count > 0 { rules.append(.bytes) }
    if reading.looks.count > 0 { rules.append(rows.duplicates ?? .looks(LooksRule())) }
    return rules.map { reading.duplicates($0, rows.kept, shown: most) }
  }

  /// Says why there can be no duplicates.
  private static func warnOfNothingToCompare(_ reading: ReportReading, _ rule: DuplicateRule, _ messages: Messages) {
    switch rule {
    case .bytes where reading.checksums.count == 0 && reading.tally.images > 0:
      messages.warn("no row has a checksum, by which duplicates are known: fetch with --checksum")
    case .looks where reading.looks.count == 0 && reading.tally.images > 0:
      messages.warn(
        "no row has all three hashes by which looks are known: fetch with --fingerprint dhash,phash,blurhash")
    default: break
    }
  }

  private static func list(
    _ reading: ReportReading, _ rule: DuplicateRule, _ kept: KeptDuplicate, _ lines: RowLineList
  ) {
    reading.forEachGroup(rule, kept) { group in
      for place in group.dropFirst() { lines.add(reading.archive.row(at: place)) }
    }
  }
}
