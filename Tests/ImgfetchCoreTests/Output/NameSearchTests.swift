import Testing

@testable import ImgfetchCore

/// Which of its names an image takes, by what is found under them.
@Suite struct NameSearchTests {
  typealias Seen = NameSearch.Seen

  /// One case of the table: what has the names from the plain one on (what comes after is free), and what comes of it.
  struct Case: Sendable, CustomTestStringConvertible {
    var first = 0
    var wasEmpty = false
    let seen: [Seen]
    let looked: [Int]
    let step: NameSearch.Step

    var testDescription: String { "\(first) \(wasEmpty) \(seen)" }
  }

  private func run(_ row: Case, holds: Bool = true) -> (looked: [Int], step: NameSearch.Step) {
    var search = NameSearch(holds: holds, first: row.first)
    var looked = [search.start]
    while true {
      let place = looked.last ?? 0
      let seen = place < row.seen.count ? row.seen[place] : .nothing
      let step = search.next(after: seen, folderWasEmpty: row.wasEmpty)
      guard case .look(let next) = step else { return (looked, step) }
      looked.append(next)
    }
  }

  @Test(arguments: [
    // Nothing of the name: the one with digits is looked for all the same, but where no run was before.
    Case(seen: [.nothing], looked: [0, 1], step: .take(0, isNew: false)),
    Case(wasEmpty: true, seen: [.nothing, .own], looked: [0], step: .take(0, isNew: false)),
    // An image that has the plain name keeps it.
    Case(seen: [.own, .own], looked: [0], step: .take(0, isNew: false)),
    // One that has a name with digits keeps that, whatever became of the plain one.
    Case(seen: [.nothing, .own], looked: [0, 1], step: .take(1, isNew: false)),
    Case(seen: [.another, .own], looked: [0, 1], step: .take(1, isNew: false)),
    Case(seen: [.unknown, .own], looked: [0, 1], step: .take(1, isNew: false)),
    // The digits tell enough, where there is no attribute.
    Case(seen: [.another, .unknown], looked: [0, 1], step: .take(1, isNew: false)),
    Case(seen: [.unknown, .unknown], looked: [0, 1], step: .take(1, isNew: false)),
    // What another image has is left to it, also in a folder that was empty when the run began.
    Case(seen: [.another], looked: [0, 1], step: .take(1, isNew: true)),
    Case(wasEmpty: true, seen: [.another], looked: [0, 1], step: .take(1, isNew: true)),
    Case(seen: [.another, .another], looked: [0, 1, 2], step: .take(2, isNew: true)),
    Case(seen: [.another, .another, .own], looked: [0, 1, 2], step: .take(2, isNew: false)),
    Case(seen: [.nothing, .another], looked: [0, 1, 2], step: .take(0, isNew: false)),
    Case(
      seen: [.nothing, .another, .another, .another, .another], looked: [0, 1, 2, 3, 4], step: .take(0, isNew: false)),
    Case(seen: [.another, .another, .another, .another, .another], looked: [0, 1, 2, 3, 4], step: .giveUp),
    // What nothing is known of is replaced.
    Case(seen: [.unknown], looked: [0, 1], step: .take(0, isNew: false)),
    // Another image has the plain name in this run: it is this one's only if it was before.
    Case(first: 1, seen: [.nothing], looked: [0, 1], step: .take(1, isNew: false)),
    Case(first: 1, wasEmpty: true, seen: [.nothing], looked: [0, 1], step: .take(1, isNew: false)),
    Case(first: 1, seen: [.unknown], looked: [0, 1], step: .take(1, isNew: false)),
    Case(first: 1, seen: [.own], looked: [0], step: .take(0, isNew: false)),
    Case(first: 1, seen: [.another, .own], looked: [0, 1], step: .take(1, isNew: false)),
    Case(first: 1, seen: [.another, .another], looked: [0, 1, 2], step: .take(2, isNew: true)),
    Case(first: 2, seen: [.nothing], looked: [0, 2], step: .take(2, isNew: false)),
  ])
  func aNameHolds(_ row: Case) {
    let (looked, step) = run(row)
    #expect(looked == row.looked)
    #expect(step == row.step)
  }

  @Test(arguments: [Seen.nothing, .own, .another, .unknown], [0, 1])
  func aNameOfTheUsersIsTakenWhateverHasIt(_ seen: Seen, _ first: Int) {
    let (looked, step) = run(Case(first: first, seen: [seen, seen], looked: [], step: .giveUp), holds: false)
    #expect(looked == [first])
    #expect(step == .take(first, isNew: false))
  }
}
