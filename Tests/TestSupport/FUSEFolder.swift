import Foundation

/// A folder that is reached through FUSE (bindfs): a file system without unnamed files and without flags for renaming.
package final class FUSEFolder: Sendable {
  /// The files of the folder, as seen through FUSE.
  package let mount: String
  private let folder: TemporaryFolder

  /// - Parameter options: those of bindfs.
  package init(_ options: [String] = []) throws {
    folder = try TemporaryFolder()
    let behind = try folder.makeFolder("behind")
    mount = try folder.makeFolder("mount")
    let outcome = try Command(Command.find("bindfs"), options + [behind, mount]).run()
    guard outcome.exitCode == 0 else { throw CommandError("bindfs: \(outcome)") }
  }

  deinit {
    // Lazily: who had a file open there may be about to close it.
    _ = try? Command(Command.find("fusermount"), ["-u", "-z", mount]).run()
  }

  /// True if this machine has bindfs and lets it mount.
  package static let isPossible = (try? FUSEFolder()) != nil
}
