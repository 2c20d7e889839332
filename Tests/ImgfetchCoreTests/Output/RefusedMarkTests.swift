import TestSupport
import Testing

@testable import ImgfetchCore

/// Names and files where attributes or locks are refused, and where another process is faster. Each test runs in a
/// process of its own, because faults affect a whole process.
@Suite struct RefusedMarkTests {
  /// ENOTSUP, EACCES, EPERM, ENOSPC, EDQUOT, E2BIG, EIO, ENOSYS.
  static let refusals: [Int32] = [95, 13, 1, 28, 122, 7, 5, 38]

  private static func write(_ key: String, _ text: String, in place: TemporaryFolder) throws -> OutputFile.Written {
    var options = OutputOptions(key: OutputKey(of: key))
    options.replaces = .own
    return try OutputFile(folders: OutputFolders()).write(ImageBody(.bytes(Array(text.utf8))), options) {
      place.path($0 == 0 ? "out/cat" : "out/cat-\(key)\($0)")
    }
  }

  @Test(arguments: refusals) func anImageIsWrittenEvenIfAttributesCannotBeSet(_ code: Int32) async {
    await #expect(processExitsWith: .success) { [code] in
      let place = try TemporaryFolder()
      try place.makeFolder("out")
      Faults.arm { call, _ in call == .setxattr ? .fail(Errno(rawValue: code)) : .proceed }
      let first = try Self.write("one", "1", in: place)
      let second = try Self.write("two", "2", in: place)
      let same = try Self.write("two", "2", in: place)
      Faults.disarm()
      #expect(first.outcome == .created && place.text("out/cat") == "1")
      // Its origin is unknown: it is kept.
      #expect(second.outcome == .created && second.newDigits == .ofStranger)
      #expect(same.outcome == .unchanged)
      #expect(place.files() == ["out/cat", "out/cat-two1"])
    }
  }

  @Test(arguments: refusals) func anImageIsWrittenEvenIfAttributesCannotBeRead(_ code: Int32) async {
    await #expect(processExitsWith: .success) { [code] in
      let place = try TemporaryFolder()
      try place.makeFolder("out")
      _ = try Self.write("one", "1", in: place)
      Faults.arm { call, _ in [.getxattr, .getxattrat].contains(call) ? .fail(Errno(rawValue: code)) : .proceed }
      let same = try Self.write("one", "1", in: place)
      let other = try Self.write("two", "2", in: place)
      Faults.disarm()
      #expect(same.outcome == .unchanged)
      #expect(other.outcome == .created && other.newDigits == .ofStranger)
      #expect(place.text("out/cat") == "1" && place.files() == ["out/cat", "out/cat-two1"])
    }
  }

  /// Kernels before 6.13, and containers that forbid calls that they do not know.
  @Test(arguments: [38, 1] as [Int32]) func marksAreReadEvenWithoutTheCallThatReadsByName(_ code: Int32) async {
    await #expect(processExitsWith: .success) { [code] in
      let place = try TemporaryFolder()
      try place.makeFolder("out")
      Faults.arm { call, _ in call == .getxattrat ? .fail(Errno(rawValue: code)) : .proceed }
      _ = try Self.write("one", "1", in: place)
      let other = try Self.write("two", "2", in: place)
      Faults.disarm()
      #expect(other.outcome == .created && other.newDigits == .ofAnother)
      #expect(place.files() == ["out/cat", "out/cat-two1"])
    }
  }

  /// With locks, and on a file system without them: EOPNOTSUPP, ENOLCK.
  @Test(arguments: [0, 95, 37] as [Int32]) func aFileThatAnotherProcessHasJustPutThereIsNotReplaced(_ code: Int32) async
  {
    await #expect(processExitsWith: .success) { [code] in
      let place = try TemporaryFolder()
      try place.makeFolder("out")
      _ = try Self.write("one", "0", in: place)
      var options = OutputOptions(key: OutputKey(of: "two"))
      options.replaces = .own
      _ = try OutputFile(folders: OutputFolders()).write(ImageBody(.bytes(Array("2".utf8))), options) { _ in
        place.path("ready")
      }
      let isDone = Guarded(false)
      Faults.arm { call, _ in
        guard call == .flock else { return .proceed }
        // The other process has the name by now.
        let isFirst = isDone.withLock { done in
          defer { done = true }
          return !done
        }
        if isFirst { try? Command.move(place.path("ready"), to: place.path("out/cat")) }
        return code == 0 ? .proceed : .fail(Errno(rawValue: code))
      }
      let written = try Self.write("one", "1", in: place)
      Faults.disarm()
      #expect(isDone.withLock { $0 })
      #expect(written.path == place.path("out/cat-one1") && written.outcome == .created)
      #expect(place.text("out/cat") == "2" && place.text("out/cat-one1") == "1")
      #expect(place.files() == ["out/cat", "out/cat-one1"])
    }
  }
}
