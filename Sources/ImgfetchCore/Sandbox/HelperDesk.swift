/// Decides which helper does whose work next, and when one is started anew. A pure value; ``SandboxedExecutor``
/// holds one under its lock.
///
/// A helper that an image has taken over sees the images that come to it afterwards. So it is ended before an image of
/// another origin comes, as long as that costs little; beyond that after a number of images.
struct HelperDesk<Helper: Identified> {
  /// The answer to a request for a helper.
  enum Place {
    case idle(Helper)
    /// A new helper has to be started, after another one was ended.
    case new(inPlaceOf: Helper?)
    /// The kernel cannot shut helpers in.
    case unprotected
    case stopped
  }

  /// The work of a helper since it was started.
  private struct Service {
    var origin: String
    var images = 0
    var isMixed = false
  }

  private(set) var idle: [(helper: Helper, kind: HelperKind)] = []
  private(set) var isStopped = false
  /// True if helpers end once their work is done.
  private var isClosed = false
  private var busy: [Int32: Helper] = [:]
  private var services: [Int32: Service] = [:]
  /// The number of helpers of each origin, and of its images that wait.
  private var held: [String: Int] = [:]
  private var waiting: [String: Int] = [:]
  /// The number of living helpers, including busy ones and those that are being started.
  private var count = 0
  /// True if the kernel can restrict helpers, or nil before the first was started.
  private var canSandbox: Bool?
  /// The time that starts and that images have taken, in nanoseconds.
  private var starting: Int64 = 0
  private var decoding: Int64 = 0
  private var limit: Int

  init(limit: Int) { self.limit = max(1, limit) }

  /// Starts may take this share of the time that images take, in hundredths.
  private static var share: Int64 { 3 }
  /// The most images of several origins that one helper serves, when new helpers would take more than that share.
  private static var mostImages: Int { 64 }

  mutating func queue(_ origin: String) { waiting[origin, default: 0] += 1 }

  mutating func unqueue(_ origin: String) { Self.decrement(&waiting, origin) }

  /// True if all waiting images are of one origin, so that any of them can have a helper that becomes free.
  var isOneWaiting: Bool { waiting.count <= 1 }

  /// The place for a helper, or nil if the caller has to wait.
  mutating func place(for kind: HelperKind, _ origin: String) -> Place? {
    if isStopped { return .stopped }
    if canSandbox == false { return .unprotected }
    // While images of other origins wait, one has half of the helpers at most.
    let half = max(1, limit / 2)
    if held[origin, default: 0] >= half, waiting.contains(where: { $0.key != origin }) { return nil }
    let suitable = idle.indices.filter { idle[$0].kind == kind }
    if let place = suitable.last(where: { services[idle[$0].helper.pid]?.origin == origin }) ?? suitable.last {
      let helper = idle.remove(at: place).helper
      held[origin, default: 0] += 1
      guard isDue(helper, before: origin) else {
        busy[helper.pid] = helper
        return .idle(helper)
      }
      services[helper.pid] = nil
      return .new(inPlaceOf: helper)
    }
    var other: Helper?
    if count >= limit {
      guard !idle.isEmpty else { return nil }
      // The one that has been idle for longest. Its place in the count goes to the new one.
      let ended = idle.removeFirst().helper
      services[ended.pid] = nil
      other = ended
    } else {
      count += 1
    }
    held[origin, default: 0] += 1
    return .new(inPlaceOf: other)
  }

  /// True if a helper is ended before it gets an image of this origin.
  private func isDue(_ helper: Helper, before origin: String) -> Bool {
    guard let service = services[helper.pid], service.images > 0 else { return false }
    guard service.isMixed || service.origin != origin else { return false }
    if service.images >= Self.mostImages { return true }
    return service.origin != origin && starting * 100 <= decoding * Self.share
  }

  /// A helper has started.
  mutating func started(
    _ helper: Helper, isShut: Bool, after time: Instant.Span
  ) -> (isFirst: Bool, isStopped: Bool) {
    defer { canSandbox = isShut }
    starting += time.nanoseconds
    if isShut { busy[helper.pid] = helper }
    return (canSandbox == nil, isStopped)
  }

  /// Notes that no helper could be started. Returns true if the caller has to wait for one of the others.
  ///
  /// - Parameter isScarce: true if the system allows no further process. There are no more helpers then than live now.
  mutating func failed(_ origin: String, isScarce: Bool) -> Bool {
    count -= 1
    Self.decrement(&held, origin)
    guard isScarce, count > 0 else { return false }
    limit = count
    return true
  }

  /// Takes back a helper that has done its work. Returns true if it may wait for more, or false if it is to be ended.
  mutating func release(
    _ helper: Helper, _ kind: HelperKind, _ origin: String, after time: Instant.Span
  ) -> Bool {
    guard !isClosed else { return false }
    decoding += time.nanoseconds
    busy[helper.pid] = nil
    var service = services[helper.pid] ?? Service(origin: origin)
    service.isMixed = service.isMixed || service.origin != origin
    service.origin = origin
    service.images += 1
    services[helper.pid] = service
    Self.decrement(&held, origin)
    idle.append((helper, kind))
    return true
  }

  /// Ends helpers once their work is done, from now on. Returns the idle ones.
  mutating func close() -> [Helper] {
    isClosed = true
    defer { idle = [] }
    for (helper, _) in idle { services[helper.pid] = nil }
    count -= idle.count
    return idle.map(\.helper)
  }

  /// Removes a helper that has ended.
  mutating func ended(_ helper: Helper, _ origin: String) {
    busy[helper.pid] = nil
    services[helper.pid] = nil
    count -= 1
    Self.decrement(&held, origin)
  }

  /// Stops all work. Returns the busy helpers.
  mutating func stop() -> [Helper] {
    isStopped = true
    return Array(busy.values)
  }

  private static func decrement(_ counts: inout [String: Int], _ origin: String) {
    counts[origin, default: 0] -= 1
    if counts[origin, default: 0] <= 0 { counts[origin] = nil }
  }
}

/// Something with a number of its own, as a process.
protocol Identified: Sendable {
  var pid: Int32 { get }
}

extension HelperProcess: Identified {}
