/// What has an output's name.
struct OutputSight: Sendable {
  let status: FileStatus
  /// What the file says of itself; nil: nothing that would be believed.
  let mark: OutputMark?

  /// Whether that is the same file still, as it was.
  func isSame(as other: OutputSight) -> Bool {
    status.identity == other.status.identity && status.size == other.status.size
      && status.modified == other.status.modified && mark == other.mark
  }
}

// A mark is believed on this user's own files only, which no other user can have given it, and only while the file is as it was
// written.
extension OutputTarget {
  /// Looks at what has the name; nil: nothing has.
  func sight() throws(OutputFailure) -> OutputSight? {
    guard let status = try status() else { return nil }
    return sight(status) { () throws(SystemError) in
      try folder.descriptor.file.words(of: OutputMark.attribute, on: name)
    }
  }

  /// The same of an open file.
  func sight(of file: borrowing Descriptor) throws(SystemError) -> OutputSight {
    let status = try file.status()
    // Read here, since a closure cannot borrow what is borrowed.
    let words = folder.takesMarks ? try? file.words(of: OutputMark.attribute) : nil
    return sight(status) { words }
  }

  private func sight(
    _ status: FileStatus, _ words: () throws(SystemError) -> AttributeWords?
  ) -> OutputSight {
    var mark: OutputMark?
    if status.kind == .regular, status.owner == folder.user, folder.takesMarks {
      do throws(SystemError) {
        mark = try words().flatMap(OutputMark.init).flatMap { $0.isOf(status) ? $0 : nil }
      } catch {
        if error.code == .notSupported { folder.noteThatMarksAreRefused() }
      }
    }
    return OutputSight(status: status, mark: mark)
  }
}

extension NameSearch.Seen {
  init(_ sight: OutputSight?, for key: OutputKey?) {
    guard let sight else {
      self = .nothing
      return
    }
    guard let found = sight.mark?.key else {
      self = .unknown
      return
    }
    self = found == key ? .own : .another
  }
}
