/// Says whether memory is short: by the kernel's account of time lost to that (PSI), and by the marks of the cgroup
/// that this process is in.
package struct MemoryPressure: Sendable {
  /// The file system's root. Tests have one of their own.
  private let root: String

  package init(root: String = "") { self.root = root }

  /// The time that tasks wait for memory below which it is noise.
  private static let wait = 10.0

  package func isShort() -> Bool {
    let group = self.group
    let folder = "\(root)/sys/fs/cgroup\(group == "/" ? "" : group)"
    let stalls = text("\(folder)/memory.pressure") ?? text("\(root)/proc/pressure/memory")
    if let stalls, Self.average(in: stalls) >= Self.wait { return true }
    // Memory that the kernel can take back at once, that of files that were read, is no shortage.
    let marks = ["high", "max"].compactMap { text("\(folder)/memory.\($0)").flatMap(Self.number) }
    guard let mark = marks.min(), let used = text("\(folder)/memory.current").flatMap(Self.number) else { return false }
    let idle = text("\(folder)/memory.stat").flatMap { Self.value(of: "inactive_file", in: $0) } ?? 0
    return Double(used - min(used, idle)) >= 0.95 * Double(mark)
  }

  /// The path of this process's cgroup; the root where it is in none.
  private var group: String {
    let lines = text("\(root)/proc/self/cgroup")?.split(separator: "\n") ?? []
    return lines.first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) } ?? "/"
  }

  private func text(_ path: String) -> String? {
    Descriptor.beginning(of: path, atMost: 16 << 10).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func number(_ text: String) -> Int64? {
    Int64(Substring(text.utf8.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }))
  }

  /// `some avg10=1.23 avg60=…`.
  private static func average(in text: String) -> Double {
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("some ") }),
      let field = line.split(separator: " ").first(where: { $0.hasPrefix("avg10=") })
    else { return 0 }
    return Double(field.dropFirst(6)) ?? 0
  }

  private static func value(of name: String, in text: String) -> Int64? {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == name { return Int64(words[1]) }
    }
    return nil
  }
}
