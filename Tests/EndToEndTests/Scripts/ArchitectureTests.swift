import Foundation
import TestSupport
import Testing

/// Nothing assumes the processor that it was written on. Code that cannot be run here is compiled for the other
/// one by `Scripts/test-all`.
@Suite("Other processors") struct ArchitectureTests {
  private static let root = String(#filePath.dropLast("/Tests/EndToEndTests/Scripts/ArchitectureTests.swift".count))

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
  }

  /// The numbers of calls in one of the kernel's headers.
  private static func numbers(_ header: String) throws -> [String: String] {
    var numbers: [String: String] = [:]
    for line in try String(contentsOfFile: header, encoding: .utf8).split(separator: "\n") {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      guard words.count >= 3, words[0] == "#define" else { continue }
      for prefix in ["__NR3264_", "__NR_"] where words[1].hasPrefix(prefix) {
        numbers[String(words[1].dropFirst(prefix.count))] = String(words[2])
      }
    }
    return numbers
  }

  @Test("Each call that a helper may make, and each that is made by its name, exists on x86-64 and on arm64")
  func calls() throws {
    // arm64 has the kernel's generic table; x86-64 has one of its own.
    let generic = try Self.numbers("/usr/include/asm-generic/unistd.h")
    let own =
      try ["x86_64-linux-gnu/asm/unistd_64.h", "asm/unistd_64.h"].map { "/usr/include/\($0)" }
      .first { FileManager.default.fileExists(atPath: $0) }.map(Self.numbers)
    var names: Set<Substring> = []
    for source in ["CSandboxShim/sandbox.c", "CPosixShim/posix.c"] {
      for match in try Self.text("Sources/\(source)").matches(of: /SYS_(\w+)/) { names.insert(match.output.1) }
    }
    #expect(names.count > 25)
    for name in names {
      // `mmap` and a few more are listed there under a name for both sizes of a word.
      #expect(generic[String(name)] != nil, "arm64 has no \(name)")
      if let own { #expect(own[String(name)] != nil, "x86-64 has no \(name)") }
    }
  }

  @Test("The numbers that are written out are the same on both")
  func written() throws {
    let generic = try Self.numbers("/usr/include/asm-generic/unistd.h")
    let sandbox = try Self.text("Sources/CSandboxShim/sandbox.c")
    for (name, number) in [("close_range", 436), ("landlock_create_ruleset", 444), ("landlock_restrict_self", 446)] {
      #expect(sandbox.contains("= \(number)"))
      // Headers may be older than the call.
      if let known = generic[name] { #expect(known == "\(number)") }
    }
  }

  @Test("Each source and script that knows one processor knows the other")
  func places() throws {
    var places = 0
    for folder in ["Sources", "Scripts"] {
      for file in try FileManager.default.subpathsOfDirectory(atPath: "\(Self.root)/\(folder)").sorted() {
        guard let text = try? Self.text("\(folder)/\(file)") else { continue }
        for (one, other) in [
          ("__x86_64__", "__aarch64__"), ("AUDIT_ARCH_X86_64", "AUDIT_ARCH_AARCH64"), ("  x86_64)", "  aarch64)"),
        ]
        where text.contains(one) {
          places += 1
          #expect(text.contains(other), "\(folder)/\(file) has \(one), and no \(other)")
        }
        // Debian's name of the folder is found by a pattern.
        #expect(!text.contains("lib/x86_64-linux-gnu"), "\(folder)/\(file)")
      }
    }
    #expect(places >= 4)
  }
}
