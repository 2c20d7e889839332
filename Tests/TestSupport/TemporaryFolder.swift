import Foundation

/// A folder of the test's own, gone with everything in it when the last reference goes.
package final class TemporaryFolder: Sendable {
  /// Absolute, without links in it.
  package let path: String

  /// - Parameter base: the folder to make it in, or nil for that of temporary files.
  package init(in base: String? = nil) throws {
    let base = base ?? ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(base)/imgfetch-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template), let resolved = realpath(made, nil) else { throw CocoaError(.fileWriteUnknown) }
    path = String(cString: resolved)
    free(resolved)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a name in here.
  package func path(_ name: String) -> String { "\(path)/\(name)" }

  /// Makes a folder, with those above it; the answer is its path.
  @discardableResult
  package func makeFolder(_ name: String) throws -> String {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
    return path(name)
  }

  /// Writes a file, with the folders above it; the answer is its path.
  @discardableResult
  package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = path(name)
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }

  @discardableResult
  package func write(_ name: String, _ text: String) throws -> String { try write(name, Array(text.utf8)) }

  /// The bytes of a file, or nil if there is none.
  package func read(_ name: String) -> [UInt8]? { FileManager.default.contents(atPath: path(name)).map { Array($0) } }

  /// The text of a file, or nil if there is none.
  package func text(_ name: String) -> String? { read(name).map { String(decoding: $0, as: UTF8.self) } }

  package func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

  /// All files below, hidden ones too, as sorted paths from here; with folders only by their contents.
  package func files(in folder: String = "") -> [String] {
    let all = FileManager.default.enumerator(atPath: folder.isEmpty ? path : path(folder))
    var files: [String] = []
    while let name = all?.nextObject() as? String {
      if all?.fileAttributes?[.type] as? FileAttributeType != .typeDirectory { files.append(name) }
    }
    return files.sorted()
  }
}
