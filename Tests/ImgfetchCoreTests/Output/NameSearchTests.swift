import Testing

@testable import ImgfetchCore

/// The name that an image gets, by the files that are found under its names.
@Suite struct NameSearchTests {
  typealias Occupant = Ownership

  /// One case of the table: what the names belong to, from the plain one on (the rest are free), and the result.
  struct Case: Sendable, CustomTestStringConvertible {
    var first = 0
    var wasEmpty = false
    var hasOtherScheme = false
    let occupants: [Occupant]
    let looked: [Int]
    let step: NameSearch.Step

    var testDescription: String { "\(first) \(wasEmpty) \(occupants)" }
  }

  private func run(_ row: Case, _ replaces: Replaceable = .own) -> (looked: [Int], step: NameSearch.Step) {
    var search = NameSearch(replaces, first: row.first, hasOtherScheme: row.hasOtherScheme)
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
    Case(occupants: [.nothing], looked: [0, 1], step: .take(0, digits: nil)),
    Case(wasEmpty: true, occupants: [.nothing, .own], looked: [0], step: .take(0, digits: nil)),
    // An image that has the plain name keeps it.
    Case(occupants: [.own, .own], looked: [0], step: .take(0, digits: nil)),
    // An image that has a name with digits keeps that, whatever became of the plain one.
    Case(occupants: [.nothing, .own], looked: [0, 1], step: .take(1, digits: nil)),
    Case(occupants: [.another, .own], looked: [0, 1], step: .take(1, digits: nil)),
    Case(occupants: [.same, .own], looked: [0, 1], step: .take(1, digits: nil)),
    Case(occupants: [.stranger, .own], looked: [0, 1], step: .take(1, digits: nil)),
    // A file that stays has the image.
    Case(occupants: [.same], looked: [0, 1], step: .take(0, digits: nil)),
    Case(occupants: [.same, .stranger], looked: [0, 1], step: .take(0, digits: nil)),
    Case(occupants: [.same, .same], looked: [0, 1], step: .take(0, digits: nil)),
    Case(occupants: [.another, .same], looked: [0, 1], step: .take(1, digits: nil)),
    Case(occupants: [.stranger, .same], looked: [0, 1], step: .take(1, digits: nil)),
    // Another image's file is left alone, even in a folder that was empty when the run began.
    Case(occupants: [.another], looked: [0, 1], step: .take(1, digits: .ofAnother)),
    Case(wasEmpty: true, occupants: [.another], looked: [0, 1], step: .take(1, digits: .ofAnother)),
    Case(occupants: [.another, .another], looked: [0, 1, 2], step: .take(2, digits: .ofAnother)),
    Case(occupants: [.another, .another, .own], looked: [0, 1, 2], step: .take(2, digits: nil)),
    Case(occupants: [.nothing, .another], looked: [0, 1, 2], step: .take(0, digits: nil)),
    Case(
      occupants: [.nothing, .another, .another, .another, .another], looked: [0, 1, 2, 3, 4],
      step: .take(0, digits: nil)),
    Case(occupants: [.another, .another, .another, .another, .another], looked: [0, 1, 2, 3, 4], step: .giveUp),
    // Files of other programs are left alone, under the name with digits, too.
    Case(occupants: [.stranger], looked: [0, 1], step: .take(1, digits: .ofStranger)),
    Case(occupants: [.stranger, .another], looked: [0, 1, 2], step: .take(2, digits: .ofStranger)),
    Case(occupants: [.stranger, .stranger], looked: [0, 1], step: .giveUp),
    Case(occupants: [.another, .stranger], looked: [0, 1], step: .giveUp),
    Case(occupants: [.nothing, .stranger], looked: [0, 1], step: .take(0, digits: nil)),
    // Another image has the plain name in this run: it is this image's only if it was before.
    Case(first: 1, occupants: [.nothing], looked: [0, 1], step: .take(1, digits: nil)),
    Case(first: 1, wasEmpty: true, occupants: [.nothing], looked: [0, 1], step: .take(1, digits: nil)),
    Case(first: 1, occupants: [.same], looked: [0, 1], step: .take(1, digits: nil)),
    Case(first: 1, occupants: [.own], looked: [0], step: .take(0, digits: nil)),
    Case(first: 1, occupants: [.another, .own], looked: [0, 1], step: .take(1, digits: nil)),
    Case(first: 1, occupants: [.another, .another], looked: [0, 1, 2], step: .take(2, digits: .ofAnother)),
    Case(first: 2, occupants: [.nothing], looked: [0, 2], step: .take(2, digits: nil)),
    // Before a name with digits is given out anew, the one is looked at that the image has by its other scheme.
    Case(
      hasOtherScheme: true, occupants: [.another, .nothing, .nothing, .nothing, .nothing, .own], looked: [0, 1, 5],
      step: .take(5, digits: nil)),
    Case(hasOtherScheme: true, occupants: [.another], looked: [0, 1, 5], step: .take(1, digits: .ofAnother)),
    Case(hasOtherScheme: true, occupants: [.nothing], looked: [0, 1], step: .take(0, digits: nil)),
  ])
  func aNameHolds(_ row: Case) {
    let (looked, step) = run(row)
    #expect(looked == row.looked)
    #expect(step == row.step)
  }

  @Test(arguments: [Occupant.nothing, .own, .another, .same], [0, 1])
  func aNameThatIsGivenIsTakenFromAnotherImage(_ occupant: Occupant, _ first: Int) {
    let (looked, step) = run(
      Case(first: first, occupants: [occupant, occupant], looked: [], step: .giveUp), .ours)
    #expect(looked == [first])
    #expect(step == .take(first, digits: nil))
  }

  @Test func aNameThatIsGivenIsNotTakenFromAStranger() {
    for occupant in [Occupant.nothing, .own, .another, .same] {
      let beside = run(Case(occupants: [.stranger, occupant], looked: [], step: .giveUp), .ours)
      #expect(beside.looked == [0, 1] && beside.step == .take(1, digits: .ofStranger))
    }
    #expect(run(Case(occupants: [.stranger, .stranger], looked: [], step: .giveUp), .ours).step == .giveUp)
    #expect(run(Case(first: 1, occupants: [.own, .stranger], looked: [], step: .giveUp), .ours).step == .giveUp)
  }

  @Test(arguments: [Occupant.nothing, .own, .another, .same, .stranger], [0, 1])
  func whatTheUserHasNamedIsTakenWhateverHasIt(_ occupant: Occupant, _ first: Int) {
    let (looked, step) = run(
      Case(first: first, occupants: [occupant, occupant], looked: [], step: .giveUp), .any)
    #expect(looked == [first])
    #expect(step == .take(first, digits: nil))
  }
}
