import ImgfetchCore

/// The files for `inspect`: operands, the contents of folders, and lists of names.
struct InspectedFiles {
  /// A file, or what keeps it from being one.
  struct Found {
    let name: String
    /// True if the user has named the file. Such a file is always reported; one found in a folder may be skipped.
    var isNamed = true
    var error: FetchError?
  }

  private let settings: Settings
  private let visit: (Found) -> Bool

  /// Visits the files.
  ///
  /// - Parameter visit: returns true to go on.
  static func forEach(_ settings: Settings, _ visit: @escaping (Found) -> Bool) {
    let files = InspectedFiles(settings: settings, visit: visit)
    for name in settings.operands where !files.look(at: name) { return }
    _ = files.readLists()
  }

  /// The names in lists, as they come.
  private func readLists() -> Bool {
    var list = InputList(operands: [], lists: settings.list.inputs, isNullEnded: settings.list.isNullEnded)
    let waker = Waker()
    var isReady = false
    while true {
      do throws(InputList.Failure) {
        switch try list.nextText(isReady: isReady) {
        case .line(let line)?:
          isReady = false
          guard let name = String(validating: line, as: UTF8.self) else {
            if !visit(Self.failure("\(list.shownPlace)", "the name is not UTF-8")) { return false }
            continue
          }
          if !look(at: name) { return false }
        case .pending(let stream)?: isReady = waker.wait(for: stream, atMost: .seconds(86_400)) == .ready
        case nil: return true
        }
      } catch { if !visit(Self.failure(error.name, "the list cannot be read: \(error.reason)")) { return false } }
    }
  }

  private func look(at name: String) -> Bool {
    guard name != "-", (try? Descriptor.folder(".").status(of: name))?.kind == .directory else {
      return visit(Found(name: name))
    }
    guard settings.inspection.isRecursive else {
      return visit(Self.failure(name, "this is a folder; -r inspects what is in it"))
    }
    return walk(name)
  }

  private static func failure(_ name: String, _ reason: String) -> Found {
    Found(name: name, error: FetchError(.file, name, reason))
  }

  /// Visits the files in a folder, in the order of names, folder by folder. Links are not followed, so that there is an
  /// end.
  private func walk(_ top: String) -> Bool {
    var waiting = [top]
    while let folder = waiting.popLast() {
      var below: [String] = []
      do throws(SystemError) {
        let descriptor = try Descriptor.open(folder, [.read, .directory])
        for name in try descriptor.names().sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
          let path = folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
          switch try descriptor.status(of: name)?.kind {
          case .directory?: below.append(path)
          case .regular?: if !visit(Found(name: path, isNamed: false)) { return false }
          case nil where name.unicodeScalars.contains("\u{FFFD}"):
            let reason = "the name is not UTF-8; a file can be given as standard input, a folder by another name"
            if !visit(Self.failure(path, reason)) { return false }
          default: break
          }
        }
      } catch { if !visit(Self.failure(folder, "the folder cannot be read: \(error.code)")) { return false } }
      waiting += below.reversed()
    }
    return true
  }
}
