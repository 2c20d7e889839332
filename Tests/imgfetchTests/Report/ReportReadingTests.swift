import ImgfetchCore
import ImgfetchReport
import TestSupport
import Testing

@testable import imgfetch

@Suite struct ReportReadingTests {
  @Test(arguments: [nil, 4, 3])
  func ofMoreImagesThanAreComparedTheFirstOnesAre(most: Int?) throws {
    let folder = try TemporaryFolder()
    let sums = ["a", "b", "a", "a"].map { String(repeating: $0, count: 64) }
    let rows = sums.enumerated().map { #"{"url":"http://h/\#($0)","bytes":10,"sha256":"\#($1)","error":null}"# + "\n" }
    try folder.write("rows", rows.joined())
    let places = try ReportPlaces(Settings(), ["HOME": "/h"], Messages())
    var reading = ReportReading(
      ReportReading.Wanted(checksums: true, mostCompared: most), tally: ReportTally(),
      temporaryFolder: folder.path("")
    ) { _, _ in }
    try reading.read(try RowInput(folder.path("rows"), places))
    let found = reading.duplicates(.bytes, .first, shown: 3)
    #expect(reading.tally.images == 4 && found.compared == most ?? 4)
    #expect(found.extra == (most == 3 ? 1 : 2) && found.isOfFirst == (most == 3))
  }

  @Test func imagesWithoutRoomAreToldOfTheRuleByWhichTheyCouldBeCompared() throws {
    let folder = try TemporaryFolder()
    let looks = #""fingerprints":{"dhash":"00ff00ff00ff00ff","phash":"f0f0f0f00f0f0f0f"},"width":40,"height":30"#
    let sum = #""sha256":"\#(String(repeating: "a", count: 64))""#
    let rows = [looks, sum, sum, looks].enumerated().map { #"{"url":"http://h/\#($0)",\#($1),"error":null}"# }
    try folder.write("rows", rows.joined(separator: "\n") + "\n")
    let places = try ReportPlaces(Settings(), ["HOME": "/h"], Messages())
    var reading = ReportReading(
      ReportReading.Wanted(checksums: true, looks: LooksRule(), mostCompared: 2), tally: ReportTally(),
      temporaryFolder: folder.path("")
    ) { _, _ in }
    try reading.read(try RowInput(folder.path("rows"), places))
    let (bytes, pictures) = (
      reading.duplicates(.bytes, .first, shown: 3), reading.duplicates(.looks(LooksRule()), .first, shown: 3)
    )
    #expect(bytes.compared == 2 && !bytes.isOfFirst)
    #expect(pictures.compared == 1 && pictures.isOfFirst)
  }
}
