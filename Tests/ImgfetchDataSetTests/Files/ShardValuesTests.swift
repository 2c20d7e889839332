import ImgfetchCore
import Testing

@testable import ImgfetchDataSet

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
        rule.part = ListPart(index: index, count: count)
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
        (rule.part, rule.isByHost, rule.perHost) = (ListPart(index: index, count: 8), true, 3)
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
    var records = RecordsHash()
    records.add(record: 0, ([1, 2] as [UInt8]).span)
    let whole = ShardJob(
      ShardName(number: 3), records: records, membership: #"["per-shard=4"]"#, options: #"["x=,\"options\":"]"#)
    #expect(whole.text.hasPrefix(#"{"makes":2,"shard":"00003","records":1,"hash":""#))
    #expect(whole.records == 1 && !whole.isOfOtherVersion && job.isOfOtherVersion)
    #expect(whole.rules == #","list":["per-shard=4"],"options":["x=,\"options\":"]}"#)
    #expect(whole.options == #","options":["x=,\"options\":"]}"#)
    var end = ShardEnd()
    (end.images, end.failed, end.bytes, end.failedOffset, end.failedBytes) = (12, 3, 1 << 50, 77, 99)
    #expect(end.content.count == 512)
    #expect(ShardEnd(content: end.content) == end)
    #expect(!String(decoding: end.content, as: UTF8.self).contains("duplicates"))
    end.duplicates = 4
    #expect(String(decoding: end.content, as: UTF8.self).hasPrefix(#"{"rows":19,"images":12,"failed":3,"#))
    #expect(ShardEnd(content: end.content) == end)
    #expect(ShardEnd(content: [UInt8](repeating: 0x39, count: 512)) == nil)
  }

  @Test func eachKeyIsInOnePart() {
    let keys = (0..<1000).map { ContentHash(of: "key \($0)") }
    for key in keys {
      #expect((1...7).count { ListPart(index: $0, count: 7).contains(key) } == 1)
      #expect(ListPart.whole.contains(key))
    }
    #expect(keys.count { ListPart(index: 3, count: 4).contains($0) } > 200)
  }

  @Test func thePartsOfAListAddUp() {
    for records in 0..<40 {
      let parts = (1...3).map { index -> Int in
        var rule = ShardRule(perShard: 4)
        rule.part = ListPart(index: index, count: 3)
        #expect(rule.count(ofRecords: records) == (0..<records).filter { rule.owns(shard: $0 / 4) }.count)
        return rule.count(ofRecords: records)
      }
      #expect(parts.reduce(0, +) == records)
    }
  }

  @Test func recordsThatMovedChangedOrWereJoinedAreNoticed() {
    func hash(_ records: [(Int, String)]) -> ContentHash {
      var hash = RecordsHash()
      for (record, text) in records { hash.add(record: record, text.utf8Span.span) }
      return hash.value
    }
    let right = hash([(0, "a"), (1, "b"), (2, "c")])
    #expect(hash([(0, "a"), (1, "b"), (2, "c")]) == right)
    for wrong in [
      [(0, "b"), (1, "a"), (2, "c")], [(0, "a"), (1, "b")], [(0, "a"), (1, "bc")], [(1, "a"), (2, "b"), (3, "c")],
      [(0, "a"), (1, "b"), (2, "d")],
    ] { #expect(hash(wrong) != right) }
  }

  @Test func failedLinesHaveTheirPlacesInOrder() {
    let (first, second) = (ShardName(number: 0, again: 1), ShardName(part: 2, number: 4, again: 3))
    var sequence = RetrySequence([RetryPlan.Round(shard: first, count: 2), RetryPlan.Round(shard: second, count: 1)])
    let places = (0..<4).map { _ in sequence.place() }
    #expect(places.map { $0?.shard } == [first, first, second, nil])
    #expect(places.map { $0?.isLast } == [false, true, true, nil])
  }

  @Test func aRowTellsItsRecord() {
    func record(_ row: String) -> Int? { RetryPlan.record(ofRow: Array(row.utf8)[...]) }
    #expect(record(#"{"record":"000000000012","url":"u"}"#) == 12)
    for other in [#"{"record":"1"#, #"{"record":"x"}"#, "{}", "", #"{"record":"99999999999999999999"}"#] {
      #expect(record(other) == nil, "\(other)")
    }
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

  private func failure(_ kind: FetchError.Kind, isTransient: Bool, of host: String = "d") -> FetchResult {
    var result = FetchResult(tag: 1, url: "http://\(host)/u", key: "k")
    result.error = FetchError(kind, "u", "no", isTransient: isTransient)
    return result
  }

  private func success(of host: String = "h") -> FetchResult {
    var good = FetchResult(tag: 1, url: "http://\(host)/u", key: "k")
    (good.status, good.attempts) = (200, 1)
    return good
  }

  private func objection(_ results: [FetchResult], mostTransient: Double = 0.05) -> ShardTally.Objection? {
    var tally = ShardTally()
    for result in results { tally.add(result) }
    return tally.objection(mostTransient: mostTransient)
  }

  @Test func anOutageIsNoData() {
    let many = [FetchResult](repeating: success(), count: 95)
    let dead = failure(.connect, isTransient: true)
    #expect(objection(many + [FetchResult](repeating: dead, count: 5)) == nil)
    #expect(objection(many + [FetchResult](repeating: dead, count: 6)) == .transient(count: 6, lines: 101))
    #expect(objection([FetchResult](repeating: failure(.http, isTransient: false), count: 9)) == nil)
    #expect(objection(many + [failure(.file, isTransient: false)]) == .file("u: no"))
    #expect(objection(many + [failure(.cancelled, isTransient: false)]) == .cancelled)
    var cached = success()
    cached.attempts = 0
    let name = failure(.name, isTransient: true)
    #expect(objection([FetchResult](repeating: cached, count: 99) + [name]) == .unreachable("u: no"))
    #expect(objection([FetchResult](repeating: success(), count: 99) + [name]) == nil)
  }

  @Test func oneLineOfAFewIsNoOutage() {
    let dead = failure(.connect, isTransient: true)
    let few = [FetchResult](repeating: success(), count: 7)
    #expect(objection(few + [dead]) == nil)
    #expect(objection(few + [dead, dead]) == .transient(count: 2, lines: 9))
    #expect(objection(few + [dead], mostTransient: 0) == .transient(count: 1, lines: 8))
  }

  @Test func hostsThatNeverAnsweredAreDeadAndNoOutageAsLongAsTheyAreFew() {
    let living = (0..<4).flatMap { [FetchResult](repeating: success(of: "h\($0)"), count: 10) }
    let dead = [FetchResult](repeating: failure(.timeout, isTransient: true), count: 30)
    #expect(objection(living + dead) == nil)
    // Another dead one is more than a fifth; a host that has answered once is alive; and names
    // count whatever their hosts.
    let another = [FetchResult](repeating: failure(.connect, isTransient: true, of: "e"), count: 2)
    #expect(objection(living + dead + another) == .transient(count: 32, lines: 72))
    #expect(objection(living + dead + [success(of: "d")]) == .transient(count: 30, lines: 71))
    let names = [FetchResult](repeating: failure(.name, isTransient: true), count: 30)
    #expect(objection(living + names) == .transient(count: 30, lines: 70))
    #expect(objection(dead) == .transient(count: 30, lines: 30))
  }

  @Test func whatAllHostsHaveIsThisMachinesAndNoData() {
    func lines(_ kind: FetchError.Kind, hosts: Int) -> [FetchResult] {
      (0..<hosts).flatMap { [FetchResult](repeating: failure(kind, isTransient: false, of: "\(kind)\($0)"), count: 2) }
    }
    for kind in [FetchError.Kind.name, .tls] {
      #expect(objection(lines(kind, hosts: 3)) == .transient(count: 6, lines: 6))
      #expect(objection(lines(kind, hosts: 3), mostTransient: 1) == nil)
      #expect(objection(lines(kind, hosts: 2)) == nil)
    }
    // One host that is there, or was, has a name. Its certificate is trusted only over TLS.
    var cached = success(of: "c")
    cached.attempts = 0
    for known in [success(of: "c"), cached] {
      #expect(objection(lines(.name, hosts: 9) + [known]) == nil)
      #expect(objection(lines(.tls, hosts: 9) + [known]) == .transient(count: 18, lines: 19))
      var secure = FetchResult(tag: 1, url: "https://c/u", key: "k")
      (secure.status, secure.attempts) = (known.status, known.attempts)
      #expect(objection(lines(.tls, hosts: 9) + [secure]) == nil)
    }
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
