import CSandboxShim
import Glibc

/// Starts helpers, on a thread that lives as long as this process.
///
/// The kernel ends a helper when the *thread* ends that started it, not the process. A worker that has nothing left to do would
/// otherwise take along the helpers of the others.
enum HelperStarter {
  private final class Request: Sendable {
    let path: String
    let name: String
    let channel: Int32
    let answer = Guarded<Result<pid_t, SystemError>?>(nil)

    init(_ path: String, name: String, channel: Int32) {
      (self.path, self.name, self.channel) = (path, name, channel)
    }
  }

  private static let queue = Guarded<[Request]>([])
  private static let isRunning = Guarded(false)

  /// Starts the program at `path` under that name; `channel` becomes its only descriptor but the standard three. The answer is its
  /// number.
  static func start(_ path: String, name: String, channel: Int32) throws(SystemError) -> pid_t {
    try isRunning.withLock { (isRunning) throws(SystemError) in
      if isRunning { return }
      _ = try Threads.start(name: "imgfetch-start") { serve() }
      isRunning = true
    }
    let request = Request(path, name: name, channel: channel)
    queue.withLock { $0.append(request) }
    queue.signal()
    let answer = request.answer.wait { $0 }
    guard let answer else { throw SystemError(.spawn, .noSuchProcess, path: path) }
    return try answer.get()
  }

  private static func serve() {
    while let request = queue.wait({ $0.isEmpty ? nil : $0.removeFirst() }) {
      let answer = spawn(request)
      request.answer.withLock { $0 = answer }
      request.answer.signal()
    }
  }

  private static func spawn(_ request: Request) -> Result<pid_t, SystemError> {
    var pid = pid_t()
    do throws(SystemError) {
      _ = try SystemCall.spawn.perform(path: request.path) { () -> Int32 in
        let code = unsafe imgfetch_helper_start(request.path, request.name, request.channel, &pid)
        if code != 0 { errno = code }
        return code == 0 ? 0 : -1
      }
      return .success(pid)
    } catch { return .failure(error) }
  }
}
