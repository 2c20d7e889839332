import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct SummaryTests {
  private var summary: Summary {
    var summary = Summary()
    summary.add(Rows.good().result)
    summary.add(
      Rows.good {
        $0.isShared = true; $0.downloaded = 0
      }.result)
    summary.add(
      Rows.good {
        $0.cache = .disk; $0.downloaded = 0; $0.isRevalidated = true
      }.result)
    summary.add(
      Rows.good {
        $0.cache = nil; $0.bytes = nil; $0.downloaded = 0
      }.result)
    summary.add(Rows.failed().result)
    return summary
  }

  @Test func everythingIsCountedForPrograms() {
    #expect(
      Rows.text { summary.appendJSON(elapsedMilliseconds: 1500.5, to: &$0) } == """
        {"summary":{"total":5,"none":2,"memory":0,"disk":1,"revalidated":1,"shared":1,"stale":0,"failed":1,\
        "bytes":13701,"downloaded":4567,"elapsed_ms":1500.5}}

        """)
  }

  @Test func aPersonReadsASentence() {
    #expect(
      summary.sentence(elapsedMilliseconds: 1500)
        == "5 images: 2 downloaded, 1 from disk, 1 kept, 1 failed (1 shared a download, 1 revalidated); "
        + "4.5 KB downloaded in 1.5 s")
    #expect(Summary().sentence(elapsedMilliseconds: 3) == "0 images; 0 B downloaded in 3 ms")
  }

  @Test func sumsDoNotTrap() {
    var summary = Summary()
    for _ in 0..<3 {
      summary.add(
        Rows.good {
          $0.bytes = .max; $0.downloaded = .max
        }.result)
    }
    #expect(summary.total == 3)
  }
}
