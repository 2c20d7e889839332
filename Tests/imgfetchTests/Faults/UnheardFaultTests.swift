import Glibc
import TestSupport
import Testing

@testable import ImgfetchCore
@testable import imgfetch

/// Failures that a run shows nothing of, and that would matter later.
@Suite("Faults that show only later") struct UnheardFaultTests {
  @Test("Where no thread can wait for signals, they end the process as they end any other")
  func signals() async {
    await #expect(processExitsWith: .success) {
      Faults.arm { call, _ in call == .threadCreate ? .fail(.tryAgain) : .proceed }
      let interrupts = Interrupts()
      #expect(Self.isBlocked(SIGTERM))
      interrupts.listen()
      #expect(!Self.isBlocked(SIGTERM) && !Self.isBlocked(SIGINT))
    }
  }

  private static func isBlocked(_ number: Int32) -> Bool {
    var set = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &set)
    return sigismember(&set, number) == 1
  }

  @Test("A list whose place is not known is no file to read lines of again")
  func placeOfLines() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let path = try folder.write("list", "http://h/a\nhttp://h/b\n")
      func place() throws -> InputList.Place {
        let input = try Descriptor.open(path, .read)
        var line: [UInt8] = []
        _ = try input.read(into: &line, count: 11)
        var list = InputList(operands: [], lists: ["-"], standardInput: SharedDescriptor(input))
        guard case .line(let next)? = try list.next(isReady: true) else { throw CommandError("no line") }
        #expect(next.text == "http://h/b")
        return list.place
      }
      guard case .file(_, _, offset: 11) = try place() else { return #expect(Bool(false), "read as a stream") }
      Faults.arm { call, _ in call == .lseek ? .fail(.invalidArgument) : .proceed }
      guard case .stream = try place() else { return #expect(Bool(false), "read as a file") }
    }
  }

  @Test("An entry that a second look does not find any more ends no command", arguments: ["path", "info"])
  func lostEntry(command: String) async {
    await #expect(processExitsWith: .success) { [command] in
      let place = try FaultedRun.place()
      let url = "http://h.test/a.jpg"
      try place.write("work/a.jpg", TestImages.jpeg(bytes: 2000))
      let added = try FaultedRun(["cache", "add", url, "a.jpg"], in: place)
      #expect(added.exitCode == 0, "\(added)")
      var ordinal = 0
      while true {
        ordinal += 1
        let run = try FaultedRun(["cache", command, url], in: place.copy(), at: ordinal, .inputOutput)
        #expect(run.signal == nil, "\(ordinal): \(run)")
        if run.call == nil { break }
      }
      #expect(ordinal > 10)
    }
  }

  @Test("What cannot be read of a cache is told, and no image is removed for it")
  func unreadEntries() async {
    await #expect(processExitsWith: .success) {
      let place = try FaultedRun.place()
      for (name, size) in [("a.jpg", 2000), ("b.jpg", 400_000)] {
        try place.write("work/\(name)", TestImages.jpeg(bytes: size))
        let added = try FaultedRun(["cache", "add", "http://h.test/\(name)", name], in: place)
        #expect(added.exitCode == 0, "\(added)")
      }
      let verify = ["cache", "verify", "--repair"]
      // The first read of an entry is of its metadata, the next one of the image.
      let failures: [(SystemCall, Errno, first: Int)] = [
        (.openat, .inputOutput, 1), (.pread, .noMemory, 1), (.pread, Errno(rawValue: ESTALE), 2),
        (.getdents, .inputOutput, 1),
      ]
      for (call, code, first) in failures {
        let made = Guarded(0)
        let run = try FaultedRun(verify, in: place) { [call = call as SystemCall, code = code as Errno] other, path in
          // Of what is opened, only entries.
          guard other == call, call != .openat || path?.utf8.count == 33 else { return nil }
          let number = made.withLock { made in
            made += 1
            return made
          }
          return number >= first ? .fail(code) : nil
        }
        #expect(run.exitCode == 7, "\(call) \(run)")
        #expect(run.error.contains("cannot be read: \(code)"), "\(call) \(run)")
        let after = try FaultedRun(verify + ["--json"], in: place)
        #expect(after.exitCode == 0 && after.output.contains("\"entries\":2"), "after \(call): \(after)")
      }
    }
  }

  @Test("Of a folder that fails while it is read, no part is taken for all of it")
  func halfFolder() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      for name in ["a", "b", "c"] { try folder.write(name, "") }
      let opened = try Descriptor.folder(folder.path)
      #expect(try opened.names().count == 3)
      let calls = Guarded(0)
      Faults.arm { call, _ in
        guard call == .getdents else { return .proceed }
        calls.withLock { $0 += 1 }
        return calls.withLock { $0 } == 3 ? .fail(.inputOutput) : .proceed
      }
      #expect(throws: SystemError(.getdents, .inputOutput)) { _ = try opened.names() }
    }
  }
}
