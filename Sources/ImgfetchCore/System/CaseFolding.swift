/// File systems for which `A.png` and `a.png` are one name: those of USB sticks, of Windows and macOS, and what those
/// share.
package enum CaseFolding {
  /// The most names of a folder that are looked at; one with a letter tells.
  private static let mostNames = 64

  /// True if names that differ in the case of letters only are one in the folder with this path. If it is still to be
  /// made, the one that it is made in counts.
  ///
  /// - Parameter mayWrite: true if an empty folder may be tried with a file, which is removed at once.
  package static func isDone(in path: String, mayWrite: Bool) -> Bool {
    var path = path.isEmpty ? "." : path
    while true {
      if let folder = try? SharedDescriptor(Descriptor.folder(path)) { return isDone(in: folder, mayWrite: mayWrite) }
      guard let above = above(path) else { return false }
      path = above
    }
  }

  private static func isDone(in folder: SharedDescriptor, mayWrite: Bool) -> Bool {
    // Most runs end here. On the usual file systems of Linux no name is looked for.
    guard folder.file.mayFoldCase() else { return false }
    if let answer = answer(of: folder.file) { return answer }
    guard mayWrite, let trial = try? TemporaryFile(in: folder, named: true) else { return false }
    let answer = answer(of: folder.file)
    withExtendedLifetime(trial) {}
    return answer == true
  }

  /// The answer of the first name that has a letter, or nil if there is none.
  private static func answer(of folder: borrowing Descriptor) -> Bool? {
    guard let names = try? FolderListing(of: folder, atMost: mostNames) else { return nil }
    for place in 0..<names.count {
      let name = names.name(at: place)
      let other = otherCase(of: name)
      guard !other.utf8.elementsEqual(name.utf8), let file = try? folder.status(of: name) else { continue }
      return (try? folder.status(of: other))?.identity == file.identity
    }
    return nil
  }

  /// The name with small letters for capitals and the other way round. Those of ASCII will do.
  static func otherCase(of name: String) -> String {
    String(decoding: name.utf8.map { isLetter($0) ? $0 ^ 0x20 : $0 }, as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// The path of the folder in which this one is, or nil if there is none above it.
  private static func above(_ path: String) -> String? {
    var bytes = Array(path.utf8)
    let slash = UInt8(ascii: "/")
    while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
    guard let place = bytes.lastIndex(of: slash) else { return path.hasBytes(of: ".") ? nil : "." }
    if bytes.count == 1 { return nil }
    return place == 0 ? "/" : String(decoding: bytes[..<place], as: UTF8.self)
  }
}
