import CSandboxShim

/// What a helper that an image has taken over might try. Tests have one try it.
package enum SandboxTrial: PixelWork {
  /// To reach files, the network, other processes and code of its own; what came of it is told in lines `name error`.
  case escape(path: String, pid: Int32)
  /// To fall over.
  case crash
  /// To answer with what is no answer.
  case babble

  /// What the bytes of a trial begin with.
  private static let mark: UInt8 = 8

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.put(Self.mark)
    switch self {
    case .escape(let path, let pid):
      writer.put(UInt8(0))
      writer.put(path)
      writer.put(pid)
    case .crash: writer.put(UInt8(1))
    case .babble: writer.put(UInt8(2))
    }
    return writer.bytes
  }

  init?(encoded bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard reader.take(UInt8.self) == Self.mark else { return nil }
    switch reader.take(UInt8.self) {
    case 0:
      guard let path = reader.takeText(), let pid = reader.take(Int32.self) else { return nil }
      self = .escape(path: path, pid: pid)
    case 1: self = .crash
    case 2: self = .babble
    default: return nil
    }
  }

  package func run(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8] {
    switch self {
    case .escape(let path, let pid):
      let tries: [(String, Int32)] = [
        ("open", unsafe imgfetch_trial_open(path)), ("create", unsafe imgfetch_trial_create(path + ".new")),
        ("stat", unsafe imgfetch_trial_stat(path)), ("socket", imgfetch_trial_socket()),
        ("execute", unsafe imgfetch_trial_execute("/bin/true")), ("fork", imgfetch_trial_fork()),
        ("signal", imgfetch_trial_signal(pid)), ("code", imgfetch_trial_code()),
      ]
      return Array(tries.map { "\($0) \($1)\n" }.joined().utf8)
    case .crash: imgfetch_trial_crash()
    case .babble: throw .changed
    }
  }
}
