import TestSupport
import Testing

@testable import imgfetch

@Suite struct ListedStemsTests {
  @Test func foldersBeyondTheRoomAreUnknown() throws {
    let place = try TemporaryFolder()
    let stems = ListedStems()
    // A template may give each image a folder of its own; none of these is there yet.
    for number in 0..<10_000 { _ = stems.lacks(place.path("\(number)/a")) }
    #expect(stems.lacks(place.path("100/a")))
    #expect(!stems.lacks(place.path("9999/a")), "a file is looked for")
  }

  @Test func aFileThatIsMadeIsThere() throws {
    let place = try TemporaryFolder()
    let stems = ListedStems()
    for _ in 0..<65 { _ = stems.lacks(place.path("a")) }
    #expect(stems.lacks(place.path("a")) && stems.lacks(place.path("b")))
    stems.add(place.path("A.JPG"))
    #expect(!stems.lacks(place.path("a")) && stems.lacks(place.path("b")))
  }
}
