import CPosixShim
import Glibc

/// The memory of this machine for one process: by its limit of address space (`ulimit -v`), its control group,
/// and the built-in memory.
enum MachineMemory {
  /// The bytes for one process, when they were first asked for.
  static let forOneProcess: Int64 = min(addressSpace, controlGroup, physical)

  private static var addressSpace: Int64 { Int64(clamping: imgfetch_memory_limit()) }

  private static var physical: Int64 {
    let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
    let (bytes, isOver) = Int64(pages).multipliedReportingOverflow(by: Int64(size))
    return pages > 0 && size > 0 && !isOver ? bytes : .max
  }

  /// The least limit of the groups that this process is in: version 2 names one in the last line.
  private static var controlGroup: Int64 {
    guard let text = text(of: "/proc/self/cgroup") else { return .max }
    let root = "/sys/fs/cgroup"
    var least = limit(in: root)
    for line in text.split(separator: "\n") where line.utf8.starts(with: "0::/".utf8) {
      var path = root
      for name in line.dropFirst(4).split(separator: "/") {
        path += "/" + name
        least = min(least, limit(in: path))
      }
    }
    return least
  }

  private static func limit(in folder: String) -> Int64 {
    guard let text = text(of: folder + "/memory.max") else { return .max }
    // `max` where there is none.
    return Int64(text.prefix { $0 != "\n" }) ?? .max
  }

  private static func text(of path: String) -> String? {
    Descriptor.beginning(of: path, atMost: 4096).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
