import Testing

@testable import ImgfetchCore

@Suite("Policies: what a stored image is good for")
struct AgeRulesTests {
  private func verdict(_ policy: CachePolicy, first: Bool = true, age: Double?) -> AgeRules.Verdict {
    AgeRules(policy: policy, isFirstAsking: first, maximumAge: 100).verdict(age: age)
  }

  @Test("Under age a young image is served, an old one and one from the future are asked about")
  func age() {
    #expect(verdict(.age, age: 99) == .serve)
    #expect(verdict(.age, age: 100) == .serve)
    #expect(verdict(.age, age: 101) == .revalidate)
    #expect(verdict(.age, age: nil) == .revalidate)
  }

  @Test("Offline serves whatever its age")
  func only() {
    #expect(verdict(.only, age: 1e9) == .serve)
    #expect(verdict(.only, age: nil) == .serve)
  }

  @Test("Refresh and reload ask once per key and run, and are then content")
  func once() {
    #expect(verdict(.refresh, age: 1) == .revalidate)
    #expect(verdict(.refresh, first: false, age: 1) == .serve)
    #expect(verdict(.reload, age: 1) == .ignore)
    #expect(verdict(.reload, first: false, age: 1) == .serve)
    let reload = AgeRules(policy: .reload, isFirstAsking: true, maximumAge: 100)
    #expect(!reload.readsDisk && !reload.readsMemory)
    let refresh = AgeRules(policy: .refresh, isFirstAsking: true, maximumAge: 100)
    #expect(refresh.readsDisk && !refresh.readsMemory)
  }

  @Test("An entry whose successor could not be stored is asked about each time, except where the origin is not asked")
  func expired() {
    for policy in [CachePolicy.age, .refresh, .reload, .only, .memory] {
      let rules = AgeRules(policy: policy, isFirstAsking: false, maximumAge: 1e12)
      let asks = policy != .only && policy != .memory
      #expect(rules.verdict(age: 1e9) == .serve)
      #expect(rules.verdict(age: 1e9, isExpired: true) == (asks ? .revalidate : .serve), "\(policy)")
    }
    let rules = AgeRules(policy: .age, isFirstAsking: false, maximumAge: 100)
    let reason = rules.reasonToAsk(whenStored: 1e9, isExpired: true, stated: .nothing, gone: nil)
    #expect(reason == "on disk, but the last answer of its origin could not be stored")
  }

  @Test("Off reads nothing; memory reads no disk")
  func off() {
    let off = AgeRules(policy: .off, isFirstAsking: false, maximumAge: 100)
    #expect(!off.readsDisk && !off.readsMemory)
    let memory = AgeRules(policy: .memory, isFirstAsking: false, maximumAge: 100)
    #expect(!memory.readsDisk && memory.readsMemory)
  }
}
