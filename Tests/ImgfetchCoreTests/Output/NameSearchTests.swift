import Testing

@testable import ImgfetchCore

/// Which of its names an image gets, by what is found under them.
@Suite struct NameSearchTests {
  typealias Occupant = NameSearch.Occupant

  /// One case of the table: what the names belong to, from the plain one on (the rest are free), and the result.
  struct Case: Sendable, CustomTestStringConvertible {
    var first = 0
    var wasEmpty = false
    let occupants: [Occupant]
    let looked: [Int]
    let step: NameSearch.Step

    var testDescription: String { "\(first) \(wasEmpty) \(occupants)" }
  }

  private func run(_ row: Case, holds: Bool = true) -> (looked: [Int], step: NameSearch.Step) {
    var search = NameSearch(holds: holds, first: row.first)
    var looked = [search.start]
    while true {
      let place = looked.last ?? 0
      let occupant = place < row.occupants.count ? row.occupants[place] : .nothing
      let step = search.next(after: occupant, folderWasEmpty: row.wasEmpty)
      guard case .look(let next) = step else { return (looked, step) }
      looked.append(next)
    }
  }

  @Test(arguments: [
    // No file: the name with digits is still looked for, except where no run was before.
    Case(occupants: [.nothing], looked: [0, 1], step: .take(0, isNew: false)),
    Case(wasEmpty: true, occupants: [.nothing, .own], looked: [0], step: .take(0, isNew: false)),
    // An image that has the plain name keeps it.
    Case(occupants: [.own, .own], looked: [0], step: .take(0, isNew: false)),
    // An image that has a name with digits keeps that, whatever became of the plain one.
    Case(occupants: [.nothing, .own], looked: [0, 1], step: .take(1, isNew: false)),
    Case(occupants: [.another, .own], looked: [0, 1], step: .take(1, isNew: false)),
    Case(occupants: [.unknown, .own], looked: [0, 1], step: .take(1, isNew: false)),
    // The digits are enough where there is no attribute.
    Case(occupants: [.another, .unknown], looked: [0, 1], step: .take(1, isNew: false)),
    Case(occupants: [.unknown, .unknown], looked: [0, 1], step: .take(1, isNew: false)),
    // Another image's file is left alone, even in a folder that was empty when the run began.
    Case(occupants: [.another], looked: [0, 1], step: .take(1, isNew: true)),
    Case(wasEmpty: true, occupants: [.another], looked: [0, 1], step: .take(1, isNew: true)),
    Case(occupants: [.another, .another], looked: [0, 1, 2], step: .take(2, isNew: true)),
    Case(occupants: [.another, .another, .own], looked: [0, 1, 2], step: .take(2, isNew: false)),
    Case(occupants: [.nothing, .another], looked: [0, 1, 2], step: .take(0, isNew: false)),
    Case(
      occupants: [.nothing, .another, .another, .another, .another], looked: [0, 1, 2, 3, 4],
      step: .take(0, isNew: false)),
    Case(occupants: [.another, .another, .another, .another, .another], looked: [0, 1, 2, 3, 4], step: .giveUp),
    // A file of unknown origin is replaced.
    Case(occupants: [.unknown], looked: [0, 1], step: .take(0, isNew: false)),
    // Another image has the plain name in this run: it is this image's only if it was before.
    Case(first: 1, occupants: [.nothing], looked: [0, 1], step: .take(1, isNew: false)),
    Case(first: 1, wasEmpty: true, occupants: [.nothing], looked: [0, 1], step: .take(1, isNew: false)),
    Case(first: 1, occupants: [.unknown], looked: [0, 1], step: .take(1, isNew: false)),
    Case(first: 1, occupants: [.own], looked: [0], step: .take(0, isNew: false)),
    Case(first: 1, occupants: [.another, .own], looked: [0, 1], step: .take(1, isNew: false)),
    Case(first: 1, occupants: [.another, .another], looked: [0, 1, 2], step: .take(2, isNew: true)),
    Case(first: 2, occupants: [.nothing], looked: [0, 2], step: .take(2, isNew: false)),
  ])
  func aNameHolds(_ row: Case) {
    let (looked, step) = run(row)
    #expect(looked == row.looked)
    #expect(step == row.step)
  }

  @Test(arguments: [Occupant.nothing, .own, .another, .unknown], [0, 1])
  func aNameGivenByTheUserIsUsedWhateverHasIt(_ occupant: Occupant, _ first: Int) {
    let (looked, step) = run(
      Case(first: first, occupants: [occupant, occupant], looked: [], step: .giveUp), holds: false)
    #expect(looked == [first])
    #expect(step == .take(first, isNew: false))
  }
}
