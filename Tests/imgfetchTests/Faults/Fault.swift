import ImgfetchCore

/// The failure of a system call.
enum Fault: String, CaseIterable, Codable, Sendable {
  case noSpace, inputOutput, interrupted, tooManyOpenFiles, accessDenied, overQuota
  /// The call reads or writes half of what it is asked for.
  case half
  /// The process ends before it.
  case end

  var code: Errno? {
    switch self {
    case .noSpace: .noSpace
    case .inputOutput: .inputOutput
    case .interrupted: .interrupted
    case .tooManyOpenFiles: .tooManyOpenFiles
    case .accessDenied: .accessDenied
    case .overQuota: .overQuota
    case .half, .end: nil
    }
  }

  var verdict: Faults.Verdict {
    switch self {
    case .half: .doHalf
    case .end: .endProcess
    default: code.map { .fail($0) } ?? .proceed
    }
  }

  /// Without any effect that could be observed.
  var isHarmless: Bool { self == .half || self == .interrupted }

  /// Closing cannot fail in a way that matters, and only some calls have halves.
  func isFor(_ call: SystemCall) -> Bool {
    switch call {
    case .close: false
    case .read, .pread, .write, .pwrite, .writev, .copyFileRange, .send: true
    default: self != .half
    }
  }
}
