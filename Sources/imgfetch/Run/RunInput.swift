import ImgfetchCore

/// What a run reads: its lists, and the lines of them that wait for their hosts.
struct RunInput {
  var list: InputList
  var texts: AsideTexts

  /// Lines that may wait: 3 MB of places. A list that is sorted by host takes as long as a shuffled one if no host has more of it.
  static let mostAside = 200_000

  init(_ selection: SelectionSettings, temporaryFolder: String) {
    list = InputList(operands: selection.urls, lists: selection.inputs, isNullEnded: selection.nullEnded)
    texts = AsideTexts(operands: selection.urls, isNullEnded: selection.nullEnded, folder: temporaryFolder)
  }
}

extension Environment {
  /// Where temporary files lie.
  var temporaryFolder: String { filled("TMPDIR") ?? "/tmp" }
}
