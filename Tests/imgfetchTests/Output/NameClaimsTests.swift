import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct NameClaimsTests {
  @Test(arguments: [3, 31, 32, 33, 30_000]) func aClaimIsKeptForItsKeyAndRefusedToOthers(count: Int) {
    var claims = NameClaims()
    let keys = (0..<3).map { OutputKey(of: "key \($0)") }
    let names = (0..<count).map { ContentHash(of: "name \($0)") }
    var answers: [NameClaims.Answer: Int] = [:]
    for (at, name) in names.enumerated() { answers[claims.claim(name, for: keys[at % 3]), default: 0] += 1 }
    #expect(answers == [.granted: count])
    for (at, name) in names.enumerated() {
      answers[claims.claim(name, for: keys[at % 3]), default: 0] += 1
      answers[claims.claim(name, for: keys[(at + 1) % 3]), default: 0] += 1
    }
    #expect(answers == [.granted: count, .own: count, .taken: count])
  }

  /// Two keys whose unkeyed hashes agree in all stored bits are still two keys.
  @Test(arguments: [0, 100]) func keysThatWereMadeToMeetAreToldApart(others: Int) throws {
    var claims = NameClaims()
    for number in 0..<others { _ = claims.claim(ContentHash(of: "other \(number)"), for: OutputKey(of: "x")) }
    var seen: [UInt64: Int] = [:]
    var pair: (Int, Int)?
    var number = 0
    while pair == nil {
      let bits = ContentHash(of: "https://example.org/\(number)/cat.jpg").low & 0xF_FFFF_FFFE
      pair = seen.updateValue(number, forKey: bits).map { ($0, number) }
      number += 1
    }
    let found = try #require(pair)
    let name = ContentHash(of: "cat")
    let answers = [found.0, found.1].map { claims.claim(name, for: OutputKey(of: "https://example.org/\($0)/cat.jpg")) }
    #expect(answers == [.granted, .taken])
  }

  @Test func amongManyAClaimTakesSixteenBytesAtTheMost() {
    var claims = NameClaims()
    let key = OutputKey(of: "key")
    for number in 0..<300_000 {
      _ = claims.claim(ContentHash(high: UInt64(number), low: UInt64(number) &* 0x9E37_79B9_7F4A_7C15), for: key)
    }
    let bytes = claims.tables.reduce(0) { $0 + $1.slots.count * MemoryLayout<NameClaims.Slot>.stride }
    #expect(Double(bytes) / 300_000 <= 16)
  }
}
