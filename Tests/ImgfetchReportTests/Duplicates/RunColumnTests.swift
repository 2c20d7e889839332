import Testing

@testable import ImgfetchReport

@Suite("The runs of rows") struct RunColumnTests {
  @Test("Each row has its run, whether runs follow each other or are taken up again")
  func stretches() {
    let runs: [UInt32] = [1, 1, 2, 3, 3, 3, 1, 2, 2]
    var column = RunColumn()
    for run in runs { column.append(run) }
    #expect(column.count == runs.count)
    #expect(runs.indices.map { column[$0] } == runs)
  }
}
