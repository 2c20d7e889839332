import ImgfetchCore

/// The contents of a small file that the user has named, which may be a pipe (`--config <(command)`).
struct GivenFile {
  /// The contents, or their beginning if they are larger than the limit.
  private(set) var bytes: [UInt8] = []
  /// False for a pipe that no program has written to.
  private(set) var hasWriter = true
  let isRegular: Bool

  /// The milliseconds for which a pipe may have no writer. A shell that starts both sides begins with either.
  private static let patience: Int32 = 1_000

  /// Reads until the end, or beyond the limit.
  init(_ path: String, limit: Int) throws(SystemError) {
    // Opened for waiting, a pipe without a writer would be waited for without an end.
    let file = try Descriptor.open(path, [.read, .nonBlocking])
    isRegular = try file.status().kind == .regular
    var count = try Self.read(file, into: &bytes)
    if count == 0 {
      // What is no pipe is ready, and ends again.
      let isReady = try file.waitForBytes(atMost: Self.patience)
      count = try Self.read(file, into: &bytes)
      hasWriter = isReady || count > 0
    }
    while count > 0, bytes.count <= limit { count = try Self.read(file, into: &bytes) }
  }

  /// Reads on. A pipe that has a writer and no bytes is waited for.
  private static func read(_ file: borrowing Descriptor, into bytes: inout [UInt8]) throws(SystemError) -> Int {
    while true {
      do throws(SystemError) { return try file.read(into: &bytes, count: 16 << 10) } catch {
        guard error.code == .tryAgain else { throw error }
        _ = try file.waitForBytes(atMost: nil)
      }
    }
  }
}
