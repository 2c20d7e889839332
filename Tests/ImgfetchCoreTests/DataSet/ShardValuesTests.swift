import Testing

@testable import ImgfetchCore

@Suite struct ShardValuesTests {
  @Test func namesOfShardsAreReadBack() {
    for (name, file) in [
      (ShardName(number: 0), "00000.tar"), (ShardName(number: 123_456), "123456.tar"),
      (ShardName(part: 3, number: 12), "3-00012.tar"), (ShardName(number: 7, again: 2), "00007.r2.tar"),
    ] {
      #expect(name.file == file)
      #expect(ShardName(file: file) == name)
    }
    for other in [
      "1.tar", "000001.tar", "00001.r0.tar", "0-00001.tar", "00001.tar.gz", "a.tar", "00001.rx.tar", ".tar",
    ] {
      #expect(ShardName(file: other) == nil, "\(other)")
    }
  }

  @Test func aTemporaryTellsItsHost() {
    let name = ShardTemporaryName(ShardName(number: 5), host: "node~1/é", distinction: "x")
    #expect(ShardTemporaryName(file: name.text)?.isOf(host: "node~1/é") == true)
    #expect(ShardTemporaryName(file: name.text)?.isOf(host: "node2") == false)
    #expect(ShardTemporaryName(file: "00005.tar") == nil)
  }

  @Test func everyRecordHasOnePlace() {
    for count in [1, 2, 3] {
      var places: [Int: [ShardSequence.Place]] = [:]
      for index in 1...count {
        var rule = ShardRule(perShard: 4)
        (rule.index, rule.count) = (index, count)
        var sequence = ShardSequence(rule)
        for record in 0..<30 {
          if let place = sequence.place(record: record, isOwn: false) { places[record, default: []].append(place) }
        }
      }
      for record in 0..<30 {
        #expect(places[record]?.map(\.shard) == [ShardName(number: record / 4)])
        #expect(places[record]?.first?.slot == record % 4)
      }
    }
  }

  @Test func aHostBelongsToOnePartAndASplitOneToAsManyAsMayConnect() {
    func owners(_ host: String, _ key: UInt64, split: Bool) -> [Int] {
      (1...8).filter { index in
        var rule = ShardRule(perShard: 4)
        (rule.index, rule.count, rule.isByHost, rule.perHost) = (index, 8, true, 3)
        if split { rule.splitHosts = HostPattern("*.example").map { [$0] } ?? [] }
        return rule.owns(Origin(isSecure: true, host: host, port: 443), key: ContentHash(high: 0, low: key))
      }
    }
    for host in ["a.example", "b.example", "c.example"] {
      let alone = Set((0..<50).flatMap { owners(host, $0, split: false) })
      #expect(alone.count == 1)
      #expect((0..<50).allSatisfy { owners(host, $0, split: true).count == 1 })
      #expect(Set((0..<50).flatMap { owners(host, $0, split: true) }).count == 3)
    }
  }

  @Test func aJobAndAnEndAreReadBack() {
    let job = ShardJob(text: #"{"options":["resize=8x8,\"imgfetch\":\"","é"]}"#)
    #expect(ShardJob(content: job.content) == job)
    #expect(ShardJob(content: Array("{}".utf8)) == nil)
    var end = ShardEnd()
    (end.images, end.failed, end.bytes, end.failedOffset, end.failedBytes) = (12, 3, 1 << 50, 77, 99)
    #expect(end.content.count == 512)
    #expect(ShardEnd(content: end.content) == end)
    #expect(ShardEnd(content: [UInt8](repeating: 0x39, count: 512)) == nil)
  }

  @Test func aSizeWithoutRoomInTheHeaderStandsBeforeIt() {
    #expect(TarFormat.header("a", size: 0o77_777_777_777).count == 512)
    let size: Int64 = 0o100_000_000_000
    let header = TarFormat.header("a", size: size)
    #expect(header.count == 3 * 512)
    guard case .extended(let length)? = TarFormat.parse(Array(header[0..<512])) else { return #expect(Bool(false)) }
    #expect(Int(length) == "19 size=8589934592\n".utf8.count)
    #expect(TarFormat.extendedSize(in: Array(header[512..<(512 + Int(length))])) == size)
  }

  @Test func anOutageIsNoData() {
    func failure(_ kind: FetchError.Kind, isTransient: Bool) -> FetchResult {
      var result = FetchResult(tag: 1, url: "u", key: "k")
      result.error = FetchError(kind, "u", "no", isTransient: isTransient)
      return result
    }
    var good = FetchResult(tag: 1, url: "u", key: "k")
    (good.status, good.attempts) = (200, 1)
    func objection(_ results: [FetchResult]) -> ShardTally.Objection? {
      var tally = ShardTally()
      for result in results { tally.add(result) }
      return tally.objection(mostTransient: 0.05)
    }
    let many = [FetchResult](repeating: good, count: 95)
    let dead = failure(.connect, isTransient: true)
    #expect(objection(many + [FetchResult](repeating: dead, count: 5)) == nil)
    #expect(objection(many + [FetchResult](repeating: dead, count: 6)) == .transient(count: 6, lines: 101))
    #expect(objection([FetchResult](repeating: failure(.http, isTransient: false), count: 9)) == nil)
    #expect(objection(many + [failure(.file, isTransient: false)]) == .file("u: no"))
    #expect(objection(many + [failure(.cancelled, isTransient: false)]) == .cancelled)
    var cached = good
    cached.attempts = 0
    let name = failure(.name, isTransient: true)
    #expect(objection([FetchResult](repeating: cached, count: 99) + [name]) == .unreachable("u: no"))
    #expect(objection([FetchResult](repeating: good, count: 99) + [name]) == nil)
  }

  @Test func theRobotsTagIsForAllOrForUs() {
    func refusal(_ fields: String...) -> String? { RobotsTag(fields, robot: "imgfetch").refusal }
    #expect(refusal("noai") == "noai")
    #expect(refusal("noindex, NoImageAI") == "noimageai")
    #expect(refusal("imgfetch: noai") == "noai")
    #expect(refusal("otherbot: noai, noimageai") == nil)
    #expect(refusal("otherbot: noindex", "noimageai") == "noimageai")
    #expect(refusal("unavailable_after: 25 Jun 2030 15:00:00 PST, noai") == "noai")
    #expect(refusal("noindex, nofollow") == nil)
  }
}
