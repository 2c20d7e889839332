import CTestSupport
import Glibc
import TestSupport
import Testing

@testable import ImgfetchCore

/// The calls that a helper can and cannot make once an image has taken it over, tried in a real helper. The
/// documentation has the same list, and each line names its test.
@Suite("What a helper can do") struct HelperRightsTests {
  private typealias Call = SandboxTrial.Call

  private let executor = SandboxedExecutor(Program.path, limit: 1) { Issue.record("\($0)") }
  private let image = TestImages.png(width: 9, height: 9)
  private let facts = ImageFacts(format: .png, width: 9, height: 9)

  private func perform(_ trial: SandboxTrial) throws -> [UInt8] {
    try executor.perform(trial, ImageBody(.bytes(image)), facts, memory: 64 << 20)
  }

  /// The result of each call.
  private func errors(_ calls: [Call], _ body: ImageBody? = nil) throws -> [Int32] {
    let bytes = try executor.perform(
      SandboxTrial.calls(calls), body ?? ImageBody(.bytes(image)), facts, memory: 64 << 20)
    var reader = ByteReader(bytes)
    let errors = (0..<calls.count).compactMap { _ in reader.take(Int32.self) }
    #expect(errors.count == calls.count && reader.isAtEnd)
    return errors
  }

  /// An image so large that its file is passed, followed by further bytes, like the fields in a cache entry.
  private func file(in folder: TemporaryFolder) throws -> (body: ImageBody, length: Int) {
    let image = TestImages.png(bytes: 5 << 20)
    let path = try folder.write("entry", image + Array("behind it".utf8))
    let file = SharedDescriptor(try Descriptor.open(path, .readWrite))
    return (ImageBody(.file(.init(descriptor: file, length: Int64(image.count), expectedHash: nil))), image.count)
  }

  @Test("It reaches no file, by whatever call")
  func noFile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("secret", "secret")
    let (here, at) = (Call.Argument.number(Int64(AT_FDCWD)), Call.Argument.text(path))
    let new = Call.Argument.text(path + ".new")
    let calls = [
      Call(Int(SYS_openat), here, at, .number(Int64(O_RDONLY))),
      Call(Int(SYS_openat), here, new, .number(Int64(O_WRONLY | O_CREAT)), .number(0o600)),
      Call(Int(SYS_newfstatat), here, at, .room, .number(0)), Call(Int(SYS_faccessat), here, at, .number(0)),
      Call(Int(SYS_readlinkat), here, .text("/proc/self/exe"), .room, .number(4096)),
      Call(Int(SYS_unlinkat), here, at, .number(0)), Call(Int(SYS_renameat2), here, at, here, new, .number(0)),
      Call(Int(SYS_linkat), here, at, here, new, .number(0)), Call(Int(SYS_mkdirat), here, new, .number(0o700)),
      Call(Int(SYS_fchmodat), here, at, .number(0o777)), Call(Int(SYS_getcwd), .room, .number(4096)),
      Call(Int(SYS_chdir), .text("/")), Call(Int(SYS_memfd_create), .text("a"), .number(0)),
    ]
    #expect(try errors(calls) == [Int32](repeating: EPERM, count: calls.count))
    #expect(folder.files() == ["secret"])
    #expect(folder.text("secret") == "secret")
  }

  @Test("It reaches no address and no other process, starts none, and makes no code")
  func noOther() throws {
    let (none, some) = (Call.Argument.number(-1), Call.Argument.number(4096))
    let writable = Call.Argument.number(Int64(PROT_READ | PROT_WRITE))
    let code = Call.Argument.number(Int64(PROT_READ | PROT_EXEC))
    let own = Call.Argument.number(Int64(MAP_PRIVATE | MAP_ANONYMOUS))
    let calls = [
      Call(Int(SYS_socket), .number(Int64(AF_INET)), .number(1), .number(0)),
      Call(Int(SYS_socketpair), .number(Int64(AF_UNIX)), .number(1), .number(0), .room),
      Call(Int(SYS_sendmsg), .number(3), .room, .number(0)), Call(Int(SYS_connect), .number(3), .room, .number(16)),
      Call(Int(SYS_kill), .number(Int64(getpid())), .number(0)),
      Call(Int(SYS_tgkill), .number(Int64(getpid())), .number(Int64(getpid())), .number(0)),
      Call(Int(SYS_ptrace), .number(16), .number(Int64(getpid()))),
      Call(Int(SYS_process_vm_readv), .number(Int64(getpid())), .room, .number(0), .room, .number(0), .number(0)),
      Call(Int(SYS_pidfd_open), .number(Int64(getpid())), .number(0)),
      Call(Int(SYS_clone), .number(Int64(SIGCHLD))), Call(Int(SYS_clone3), .room, .number(88)),
      Call(Int(SYS_execve), .text("/bin/true"), .room, .room),
      Call(Int(SYS_prctl), .number(Int64(PR_SET_PDEATHSIG)), .number(0)),
      Call(Int(SYS_prlimit64), .number(0), .number(7), .room), Call(Int(SYS_setpriority), .number(0), .number(0)),
      Call(Int(SYS_mmap), .number(0), some, code, own, none, .number(0)),
      Call(Int(SYS_mprotect), .number(0), some, code),
      // Mapping a file: the one that was passed, if there were one.
      Call(Int(SYS_mmap), .number(0), some, writable, .number(Int64(MAP_SHARED)), .number(4), .number(0)),
    ]
    #expect(try errors(calls) == [Int32](repeating: EPERM, count: calls.count))
  }

  /// The system calls that are allowed; some only with certain arguments, which other tests try.
  private static let allowed: Set<Int32> = [
    SYS_read, SYS_write, SYS_recvmsg, SYS_sendto, SYS_pread64, SYS_close, SYS_mmap, SYS_mprotect, SYS_munmap,
    SYS_mremap,
    SYS_madvise, SYS_brk, SYS_futex, SYS_sched_yield, SYS_getrandom, SYS_clock_gettime, SYS_gettimeofday, SYS_getpid,
    SYS_gettid, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_restart_syscall, SYS_tgkill, SYS_exit, SYS_exit_group,
  ]

  @Test(
    "Of all system calls 25 are allowed",
    .enabled(if: Need.plainBuild.isMet, Comment(rawValue: Need.plainBuild.reason)))
  func calls() throws {
    #expect(Self.allowed.count == 25)
    // Linux has about 470. On x86-64 those from 2^30 on are the x32 variants; 335 and 336 are for the kernel's own
    // probes: they bypass every filter by design, and kill or refuse any other caller.
    let numbers = (0..<1024).filter { !Self.allowed.contains(Int32($0)) && $0 != 335 && $0 != 336 }
    let errors = try errors((numbers + (0..<1024).map { 1 << 30 + $0 }).map { Call($0) })
    #expect(zip(numbers, errors).filter { $1 != EPERM }.map(\.0) == [] && Set(errors) == [EPERM])
  }

  @Test("It reads and writes only through its channel, whatever the program's caller had left open")
  func channel() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("secret", "secret")
    // Like `9</etc/shadow` in a shell: without close-on-exec.
    let inherited = Glibc.open(path, O_RDWR)
    defer { close(inherited) }
    #expect(inherited > 3)
    let numbers = (0..<1024).filter { $0 != 3 }.map { Call.Argument.number(Int64($0)) }
    for call in [SYS_read, SYS_write, SYS_recvmsg, SYS_sendto].map(Int.init) {
      let errors = try errors(numbers.map { Call(call, $0, .room, .number(1), .number(0)) })
      #expect(Set(errors) == [EPERM])
    }
    let others = (0..<1024).filter { $0 != 4 }.map { Call.Argument.number(Int64($0)) }
    #expect(try Set(errors(others.map { Call(Int(SYS_pread64), $0, .room, .number(1), .number(0)) })) == [EPERM])
    #expect(try Set(errors(others.map { Call(Int(SYS_close), $0) })) == [EPERM])
    // No file was passed.
    #expect(try errors([Call(Int(SYS_pread64), .number(4), .room, .number(1), .number(0))]) == [EBADF])
    #expect(folder.text("secret") == "secret")
  }

  @Test("It reads the whole file that is passed with a large image, and does nothing else with it")
  func file() throws {
    let folder = try TemporaryFolder()
    let (body, length) = try file(in: folder)
    let before = folder.read("entry")
    let picture = Call.Argument.number(4)
    let readings = [0, length].map { Call(Int(SYS_pread64), picture, .room, .number(9), .number(Int64($0))) }
    let others = [
      SYS_read, SYS_write, SYS_pwrite64, SYS_ftruncate, SYS_fchmod, SYS_flock, SYS_fstat, SYS_lseek, SYS_fsetxattr,
    ]
    .map { Call(Int($0), picture, .room, .number(9), .number(0)) }
    #expect(try errors(readings + others, body) == [0, 0] + [Int32](repeating: EPERM, count: others.count))
    #expect(folder.read("entry") == before)
    // It was closed after its image.
    #expect(try errors(readings) == [EBADF, EBADF])
  }

  @Test("It allocates memory up to its limit")
  func memory() throws {
    #expect(try perform(.take(512 << 20)) == [1])
    // A sanitizer's own memory cannot be distinguished.
    if !Program.isSanitized { #expect(try perform(.take(1536 << 20)) == [0]) }
  }

  @Test("It computes until the time for an image is over")
  func time() throws {
    let helper = try HelperProcess(Program.path, name: HelperKind(for: []).processName)
    #expect(try helper.receive(1).first.map(HelperChannel.isShut) == true)
    helper.allow(seconds: 1)
    let work = SandboxTrial.spin.encoded
    let job = SandboxMessage.Job(
      facts: facts, memory: 1 << 20, workLength: work.count, bodyLength: Int64(image.count), isFile: false)
    try helper.send((job.bytes + work + image).span)
    #expect(try helper.receive(1) == [SandboxMessage.begun])
    let failure = #expect(throws: HelperProcess.Failure.self) { try helper.receive(1) }
    #expect(helper.end() == SIGXCPU, "\(String(describing: failure))")
  }

  @Test("It keeps its memory from one image to the next")
  func remembers() throws {
    func remember(_ number: Int64) throws -> Int64? {
      var reader = ByteReader(try perform(.remember(number)))
      return reader.take(Int64.self)
    }
    #expect(try remember(7) == 0)
    #expect(try remember(8) == 7)
  }

  @Test("It reads clocks and random numbers, and knows its process number")
  func clocks() throws {
    let calls = [
      Call(Int(SYS_clock_gettime), .number(0), .room), Call(Int(SYS_gettimeofday), .room, .number(0)),
      Call(Int(SYS_getrandom), .room, .number(16), .number(0)), Call(Int(SYS_getpid)), Call(Int(SYS_gettid)),
    ]
    #expect(try errors(calls) == [0, 0, 0, 0, 0])
  }

  @Test("It may end itself or send any reply: only that image fails")
  func ending() throws {
    // The last one is the kernel's when memory runs out.
    let endings: [SandboxTrial] = [.babble, .signal(SIGSEGV), .signal(SIGABRT), .signal(SIGKILL)]
    for trial in endings {
      do throws(PixelFailure) {
        _ = try executor.perform(trial, ImageBody(.bytes(image)), facts, memory: 64 << 20)
        Issue.record("\(trial) went well")
      } catch { #expect(error.fetchError(of: "a.png").kind == .limit, "\(error)") }
    }
    #expect(try executor.perform(PixelCheck.decoding, ImageBody(.bytes(image)), facts, memory: 64 << 20).isEmpty)
  }

  @Test("One for a library that needs threads starts them, and nothing else")
  func threads() throws {
    let picture = TestImages.codedHEIC
    let facts = try inspected(picture).get()
    // Decoding starts one.
    _ = try executor.perform(PixelCheck.decoding, ImageBody(.bytes(picture)), facts, memory: 64 << 20)
    let calls = [
      Call(Int(SYS_clone), .number(Int64(SIGCHLD))), Call(Int(SYS_execve), .text("/bin/true"), .room, .room),
      Call(Int(SYS_openat), .number(Int64(AT_FDCWD)), .text("/etc/passwd"), .number(Int64(O_RDONLY))),
    ]
    let bytes = try executor.perform(
      SandboxTrial.calls(calls), ImageBody(.bytes(picture)), facts, memory: 64 << 20)
    var reader = ByteReader(bytes)
    for _ in calls { #expect(reader.take(Int32.self) == EPERM) }
  }

  @Test("The documentation names a test for each line, and each of these tests")
  func documented() throws {
    let repository = String(#filePath.dropLast("/Tests/ImgfetchCoreTests/Sandbox/HelperRightsTests.swift".count))
    let page = try #require(Command.text(of: "\(repository)/Sources/ImgfetchCore/Documentation.docc/Sandbox.md"))
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| |") && !$0.hasPrefix("| -") }
    // In each row, the text between the last two backticks: suite and function.
    let tests = rows.map {
      $0.split(separator: "`", omittingEmptySubsequences: false).dropLast().last.map(String.init) ?? ""
    }
    #expect(rows.count == 15)
    for (row, test) in zip(rows, tests) {
      let names = test.split(separator: "/").map(String.init)
      try #require(names.count == 2, "\(row)")
      let folder = names[0] == "HelperRightsTests" ? "ImgfetchCoreTests/Sandbox" : "EndToEndTests"
      let source = try #require(Command.text(of: "\(repository)/Tests/\(folder)/\(names[0]).swift"))
      #expect(source.contains("func \(names[1].prefix { $0 != ")" && $0 != ":" })"), "\(row)")
    }
    let own = try #require(Command.text(of: #filePath)).split(separator: "\n").filter { $0.hasPrefix("  func ") }
    let named = Set(tests.map { $0.split(separator: "/").last ?? "" })
    for line in own where !line.contains("documented()") {
      #expect(named.contains(line.dropFirst("  func ".count).prefix { $0 != " " }), "\(line)")
    }
  }
}
