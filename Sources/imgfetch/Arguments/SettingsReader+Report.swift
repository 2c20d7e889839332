import ImgfetchCore
import ImgfetchDataSet

extension SettingsReader {
  /// The settings of `report`.
  func report(_ arguments: Arguments) throws(UsageError) -> Settings {
    let settings = try settings(arguments)
    guard !settings.operands.isEmpty, !settings.operands.contains("") else {
      throw UsageError(
        "there are no rows: give files of --report or --json, folders or places of shards, or -", of: .report)
    }
    let streams = settings.operands.count { $0 == "-" } + (settings.rows.against == "-" ? 1 : 0)
    guard streams < 2 else { throw UsageError("standard input can be read once", of: .report) }
    if settings.rows.pictures > 0, settings.rows.page == nil {
      throw UsageError("--pictures are those of a page: add --html FILE", of: .report)
    }
    if let page = settings.rows.page { try check(page: page, settings) }
    return settings
  }

  /// The page is neither written over rows, nor into what else is printed.
  private func check(page: String, _ settings: Settings) throws(UsageError) {
    guard let stream = ProcessEnvironment.stream(named: page) else {
      for rows in settings.operands + [settings.rows.against].compactMap(\.self)
      where rows != "-" && (AtomicFile.isSame(rows, page) || Self.isShard(page, of: rows)) {
        throw UsageError("--html would be written over the rows \(page)", of: .report)
      }
      return
    }
    let others: [(name: String, isGiven: Bool)] = [
      ("--json", settings.report.isJSON), ("--list", settings.rows.list != nil),
      ("--duplicates", settings.rows.duplicates != nil),
    ]
    if stream == 1, let other = others.first(where: \.isGiven) {
      throw UsageError("--html \(page) and \(other.name) would both write to standard output", of: .report)
    }
  }

  /// True if a path is that of a shard in a folder of shards, even of one that is not there yet.
  private static func isShard(_ path: String, of folder: String) -> Bool {
    let name = String(path.pathSplit.name)
    return ShardName(file: name) != nil && AtomicFile.isSame("\(folder)/\(name)", path)
  }
}
