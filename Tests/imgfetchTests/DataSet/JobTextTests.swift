import Testing

@testable import imgfetch

@Suite("What a shard says that it is of") struct JobTextTests {
  /// Options that decide neither which records a shard has nor which bytes: where and how fast things come, who is told
  /// what, and what keeps a shard from being made.
  private static let others: Set<FlagID> = [
    .input, .from, .maxPage, .maxPages, .outputDir, .again, .maxTransient, .maxInvalid, .rows, .extend, .stats,
    .picture, .grid, .size, .still, .preview,
  ]

  @Test("Each option of pack is in the job, or is known to change nothing of what is made")
  func complete() {
    let named = Set((JobText.membership + JobText.options).map(\.id))
    let neutral: Set<Flag.Category> = [.cache, .network, .credentials, .report, .maintenance, .general]
    let exceptions = Set(Self.inOtherGroups)
    for flag in Flag.taken(by: .pack) where !named.contains(flag.id) && !flag.isStep {
      #expect(
        Self.others.contains(flag.id) || exceptions.contains(flag.id) || neutral.contains(flag.category),
        "--\(flag.long) is not in the job")
    }
  }

  /// The flags that decide nothing, in groups of flags that do.
  private static let inOtherGroups: [FlagID] = [
    .sandbox, .fit, .pad, .autoOrient, .failFast, .failedList, .maxList,
  ]
}
