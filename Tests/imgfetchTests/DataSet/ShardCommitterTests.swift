import ImgfetchCore
import ImgfetchDataSet
import TestSupport
import Testing

@testable import imgfetch

@Suite("The shards of a run, as they are complete") struct ShardCommitterTests {
  private let folder: TemporaryFolder
  private let shards: ShardFolder
  private let ends = Guarded<[String]>([])
  private let made = Guarded<[String]>([])

  init() throws {
    folder = try TemporaryFolder()
    shards = try ShardFolder(folder.path)
  }

  private var events: PackEvents {
    PackEvents(
      report: { [made] report in made.withLock { $0.append(report.shard.name.text) } }, refuse: { _ in },
      fail: { _, _ in }, end: { [ends] message, code in ends.withLock { $0.append("\(code) \(message)") } },
      warn: { _ in }, whenClosed: { _ in })
  }

  private static func job(_ shard: OpenShard, _ options: String = "[]") -> ShardJob {
    ShardJob(shard.name, records: shard.records, membership: "[]", options: options)
  }

  /// A shard of one line, which failed for good.
  private func shard(_ number: Int) -> OpenShard {
    let shard = OpenShard(ShardName(number: number), spoolIn: folder.path, at: Instant(nanoseconds: 0))
    shard.add(record: number, Array("line".utf8).span)
    var result = FetchResult(tag: number + 1, url: "http://example.org/", key: "http://example.org/")
    result.error = FetchError(.http, result.url, "the server answered 404", status: 404)
    _ = shard.close()
    _ = shard.finish(result, record: number, row: Array("{}\n".utf8), caption: nil)
    return shard
  }

  @Test("A shard of other options that appeared beside the first one ends the run behind that")
  func others() throws {
    let looks = Guarded(0)
    let store = shards
    let committer = ShardCommitter(
      store, mostTransient: 0.05, ShardWriter.Form(), hasStatistics: false, unique: nil, events: events
    ) {
      Self.job($0)
    } other: { () throws(ShardFailure) in
      let look = looks.withLock { looks in
        looks += 1
        return looks
      }
      // Nothing before the first shard; behind it, the other process's.
      guard look > 1 else { return nil }
      return try store.standing(ShardName(number: 0))
    }
    for number in 0..<3 { committer.add(shard(number)) }
    committer.finish()
    #expect(looks.withLock { $0 } == 2)
    #expect(made.withLock { $0 } == ["00000"])
    let told = ends.withLock { $0 }
    #expect(told.count == 1 && told[0].hasPrefix("2 ") && told[0].contains("00000.tar"), "\(told)")
  }
}
