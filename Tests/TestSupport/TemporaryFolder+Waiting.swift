import Foundation
import Glibc
import ImgfetchCore

extension TemporaryFolder {
  /// Sleeps until `find` finds something. It looks whenever anything below here has changed: files made, written to,
  /// renamed, or given attributes.
  @discardableResult
  package func wait<Found>(for what: String, _ find: () throws -> Found?) throws -> Found {
    let watch = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    if watch < 0 { throw SocketError("inotify_init1") }
    defer { close(watch) }
    let deadline = SystemClock().now() + Patience.long
    var changes = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      // Repeats until the last look finds no new folder: a folder made within one that is not watched yet goes
      // unreported. Changes in the folders before they were watched show in the look that follows.
      var watched: Set<String> = []
      while true {
        let new = folders.filter { watched.insert($0).inserted }
        if new.isEmpty { break }
        for folder in new { inotify_add_watch(watch, folder, UInt32(IN_CREATE | IN_MODIFY | IN_ATTRIB | IN_MOVED_TO)) }
      }
      if let found = try find() { return found }
      var one = pollfd(fd: watch, events: Int16(POLLIN), revents: 0)
      let left = deadline - SystemClock().now()
      if left.nanoseconds <= 0 || poll(&one, 1, Int32(left.milliseconds)) == 0 {
        throw CommandError("\(what) did not come in \(path)")
      }
      while Glibc.read(watch, &changes, changes.count) > 0 {}
    }
  }

  private var folders: [String] {
    let all = FileManager.default.enumerator(atPath: path)
    var folders = [path]
    while let name = all?.nextObject() as? String {
      if all?.fileAttributes?[.type] as? FileAttributeType == .typeDirectory { folders.append(path(name)) }
    }
    return folders
  }
}
