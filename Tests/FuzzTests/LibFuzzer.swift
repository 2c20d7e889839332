#if FUZZER
  import Foundation

  // The entry points of libFuzzer. The target is the one that FUZZ_TARGET names; without that, all of them are listed.
  private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"]
    if let target = FuzzTarget.all.first(where: { $0.name == name }) { return target }
    print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
    exit(name == nil ? 0 : 2)
  }()

  /// Before the first input: writes the target's seeds, with those that are made in code, where FUZZ_SEEDS says.
  private func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> CInt {
    let seeds = Seeds.of(target)
    guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
    for (number, seed) in seeds.enumerated() {
      _ = FileManager.default.createFile(atPath: "\(folder)/seed-\(number)", contents: Data(seed))
    }
    return 0
  }

  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer,
    _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> CInt

  /// The package manager makes this name of an executable's `main`, which libFuzzer would else bring.
  @_cdecl("fuzz_main")
  public func fuzzMain(_ count: CInt, _ arguments: UnsafeMutableRawPointer) -> CInt {
    var count = count
    var arguments = arguments
    _ = initialize(nil, nil)
    return runDriver(&count, &arguments) { testOneInput($0, $1) }
  }

  /// Tries one input. A fault in its result is as bad as a trap.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do { try target.read(Array(UnsafeBufferPointer(start: bytes, count: count))) } catch {
      fatalError("\(target.name): \(error)")
    }
    return 0
  }
#endif
