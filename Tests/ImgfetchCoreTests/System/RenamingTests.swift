import Glibc
import TestSupport
import Testing

@testable import ImgfetchCore

/// Files get free names, whatever the file system supports. Faults affect a whole process, so each test runs in one of
/// its own.
@Suite("Renaming with what the file system supports") struct RenamingTests {
  @Test("A taken name keeps its file, a free one is taken, and no other is left", arguments: FileSystemKind.allCases)
  func takenAndFree(_ kind: FileSystemKind) async {
    await #expect(processExitsWith: .success) { [kind] in
      let folder = try TemporaryFolder()
      try folder.write("taken", "before")
      Faults.arm { call, _ in kind.refusal(of: call).map { .fail($0) } ?? .proceed }
      for name in ["taken", "free", "free"] {
        let isFree = folder.read(name) == nil
        do throws(SystemError) {
          let file = try TemporaryFile(in: .folder(folder.path))
          try file.descriptor.write([1].span)
          try file.publish(as: name, replacing: false)
          #expect(isFree)
        } catch {
          #expect(error.code == .fileExists, "\(error)")
          #expect(!isFree)
        }
      }
      Faults.disarm()
      #expect(folder.text("taken") == "before")
      #expect(folder.read("free") == [1])
      #expect(folder.files() == ["free", "taken"])
    }
  }

  @Test("Of many that want one name, one gets it", arguments: [FileSystemKind.complete, .flagless, .flaglessOfOld])
  func many(_ kind: FileSystemKind) async {
    await #expect(processExitsWith: .success) { [kind] in
      let folder = try TemporaryFolder()
      Faults.arm { call, _ in kind.refusal(of: call).map { .fail($0) } ?? .proceed }
      for turn in 0..<20 {
        let winners = Guarded<[UInt8]>([])
        try together(8) { number in
          let file = try TemporaryFile(in: .folder(folder.path))
          try file.descriptor.write([UInt8(number)].span)
          do throws(SystemError) {
            try file.publish(as: "\(turn)", replacing: false)
            winners.withLock { $0.append(UInt8(number)) }
          } catch {
            if error.code != .fileExists { throw error }
          }
        }
        #expect(winners.withLock { $0.count } == 1)
        #expect(folder.read("\(turn)") == winners.withLock { $0 })
      }
      Faults.disarm()
      #expect(folder.files().count == 20)
    }
  }

  @Test("A refused flag is not tried again on that file system; an accepted one needs no other call")
  func once() async {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryFolder()
      let folder = try Descriptor.folder(place.path)
      func calls(as kind: FileSystemKind, _ name: String) throws -> [SystemCall] {
        _ = try folder.open("from", [.write, .create])
        let seen = Guarded<[SystemCall]>([])
        Faults.arm { call, _ in
          seen.withLock { $0.append(call) }
          return kind.refusal(of: call).map { .fail($0) } ?? .proceed
        }
        defer { Faults.disarm() }
        try folder.renameUnlessTaken("from", to: name, in: folder)
        return seen.withLock { $0 }
      }
      let known = try calls(as: .complete, "1")
      #expect(known == [.renameat2])
      let refused = try calls(as: .flagless, "2")
      #expect(refused == [.renameat2, .fstat, .fstat, .linkat, .unlinkat])
      let remembered = try calls(as: .flagless, "3")
      #expect(remembered == [.fstat, .fstat, .linkat, .unlinkat])
      _ = try calls(as: .linkless, "4")
      let linkless = try calls(as: .linkless, "5")
      #expect(linkless == [.fstat, .fstat, .fstatat, .renameat])
    }
  }

  @Test("What one file system does not support, another may")
  func perFileSystem() async {
    await #expect(processExitsWith: .success) {
      let one = try Descriptor.folder("/proc")
      let other = try Descriptor.folder("/")
      FileSystemLimits.note(.exchange, in: one)
      let there = FileSystemLimits.hold(.exchange, in: one)
      let alsoThere = FileSystemLimits.hold(.linking, in: one)
      let elsewhere = FileSystemLimits.hold(.exchange, in: other)
      #expect(there && !alsoThere && !elsewhere)
    }
  }

  @Test("A link that was made although the reply said that the name was taken is ours")
  func lostAnswer() async {
    await #expect(processExitsWith: .success) {
      let place = try TemporaryFolder()
      try place.write("from", [1])
      let folder = try Descriptor.folder(place.path)
      let isMade = Guarded(false)
      Faults.arm { call, _ in
        if call == .renameat2 { return .fail(.invalidArgument) }
        guard call == .linkat, !isMade.withLock({ $0 }) else { return .proceed }
        isMade.withLock { $0 = true }
        link(place.path("from"), place.path("to"))
        return .fail(.fileExists)
      }
      try folder.renameUnlessTaken("from", to: "to", in: folder)
      Faults.disarm()
      #expect(place.files() == ["to"])
    }
  }
}
