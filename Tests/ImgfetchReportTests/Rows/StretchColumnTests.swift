import Testing

@testable import ImgfetchReport

@Suite("Lists that repeat themselves") struct StretchColumnTests {
  @Test("Each row has its value, whether stretches follow each other or are taken up again")
  func stretches() {
    let runs: [UInt32] = [1, 1, 2, 3, 3, 3, 1, 2, 2]
    var column = StretchColumn<UInt32>()
    for run in runs { column.append(run) }
    #expect(column.count == runs.count)
    #expect(column.last == 2)
    #expect(runs.indices.map { column[$0] } == runs)
  }

  @Test("Each row has its place, in files of any size that are read one after another")
  func places() {
    let far = UInt64(UInt32.max)
    let places: [UInt64] = [7, 7, 900, far, far + 7, far + 8, 3 << 48, 3 << 48 | 80, 12, far * 9, 0, .max]
    var column = PlaceColumn()
    for place in places { column.append(place) }
    #expect(places.indices.map { column[$0] } == places)
  }
}
