import Testing
import TestSupport

@testable import ImgfetchCore

@Suite struct OutputFoldersTests {
  @Test func aFolderIsOpenedOnce() throws {
    let place = try TemporaryFolder()
    let folders = OutputFolders()
    let first = try folders.folder(place.path("a"))
    let again = try folders.folder(place.path("a"))
    #expect(first === again)
  }

  @Test func recentlyUsedFoldersStayOpen() throws {
    let place = try TemporaryFolder()
    let folders = OutputFolders()
    let first = try folders.folder(place.path("first"))
    for count in 0..<40 {
      _ = try folders.folder(place.path("\(count)"))
      #expect(try folders.folder(place.path("first")) === first)
    }
    #expect(try folders.folder(place.path("0")) !== first)
  }

  @Test func twoSpellingsOfOneLetterAreTwoFolders() throws {
    let place = try TemporaryFolder()
    let folders = OutputFolders()
    let composed = try folders.folder(place.path("\u{E9}"))
    let decomposed = try folders.folder(place.path("e\u{301}"))
    #expect(try composed.descriptor.file.status().identity != decomposed.descriptor.file.status().identity)
  }

  @Test func theEmptyPathIsTheWorkingDirectory() throws {
    let here = try OutputFolders().folder("").descriptor.file.status().identity
    #expect(try here == Descriptor.folder(".").status().identity)
  }

  @Test func aFolderThatCannotBeMadeIsNamed() throws {
    let place = try TemporaryFolder()
    let file = try place.write("file", "")
    #expect(throws: SystemError(.open, .notDirectory, path: file + "/a")) {
      _ = try OutputFolders().folder(file + "/a")
    }
  }

  @Test func aNamedFolderThatWasRemovedIsMadeAgainForOneBelowIt() throws {
    let place = try TemporaryFolder()
    let folders = OutputFolders(below: place.path("out"))
    _ = try folders.folder(place.path("out/first"))
    try place.remove("out")
    let second = try folders.folder(place.path("out/second")).descriptor.file.status().identity
    #expect(try second == Descriptor.folder(place.path("out/second")).status().identity)
  }

  @Test func whetherAFolderWasEmptyIsDecidedByTheFirstLook() throws {
    let place = try TemporaryFolder()
    #expect(try OutputFolders().folder(place.path("made/new")).wasEmpty())
    try place.makeFolder("old")
    let empty = try OutputFolders().folder(place.path("old"))
    #expect(empty.wasEmpty())
    try place.write("old/.a", "")
    #expect(empty.wasEmpty())
    for name in [".a", "b", "..."] {
      try place.remove("old")
      try place.write("old/\(name)", "")
      #expect(try !OutputFolders().folder(place.path("old")).wasEmpty())
    }
    for number in 0..<100 { try place.write("full/\(number)", "") }
    #expect(try !OutputFolders().folder(place.path("full")).wasEmpty())
  }
}
