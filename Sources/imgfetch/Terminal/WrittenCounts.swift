import ImgfetchCore

/// The numbers of files that are new, changed, the same and kept.
struct WrittenCounts: Hashable, Sendable {
  private(set) var new = 0
  private(set) var changed = 0
  private(set) var same = 0
  private(set) var kept = 0

  mutating func add(_ change: OutputChange?) {
    switch change {
    case .new: new += 1
    case .changed: changed += 1
    case .same: same += 1
    case .kept: kept += 1
    case nil: break
    }
  }

  /// Appends the member `written` of the summary.
  func append(to object: inout ObjectWriter) {
    object.object("written") { object in
      for (change, count) in [(OutputChange.new, new), (.changed, changed), (.same, same), (.kept, kept)] {
        object.number(change.rawValue, count)
      }
    }
  }
}
