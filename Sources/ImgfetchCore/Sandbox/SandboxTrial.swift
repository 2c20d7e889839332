import CSandboxShim
import Glibc
import Synchronization

/// The attempts of a helper that an image has taken over; for tests.
package enum SandboxTrial: PixelWork {
  /// Makes system calls directly. The result has the errno of each, 0 for success, as 32 bits.
  case calls([Call])
  /// Sends itself a signal, as a crash or the kernel would.
  case signal(Int32)
  /// Sends an invalid reply.
  case babble
  /// Computes endlessly.
  case spin
  /// Allocates memory. The result is one byte: 1 if that succeeded.
  case take(Int64)
  /// Keeps a number from one image to the next. The result is the number kept before, as 64 bits.
  case remember(Int64)

  /// A system call by its number, with up to six arguments.
  package struct Call: Sendable {
    package enum Argument: Sendable {
      case number(Int64)
      /// The address of these bytes, with a NUL behind them.
      case text(String)
      /// The address of a writable page.
      case room
    }

    package var number: Int
    package var arguments: [Argument]

    package init(_ number: Int, _ arguments: Argument...) {
      self.number = number
      self.arguments = arguments
    }
  }

  /// The first byte of an encoded trial.
  private static let mark: UInt8 = 8
  private static let kept = Atomic<Int64>(0)

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.put(Self.mark)
    let (kind, number, calls): (UInt8, Int64, [Call]) =
      switch self {
      case .calls(let calls): (0, 0, calls)
      case .signal(let number): (1, Int64(number), [])
      case .babble: (2, 0, [])
      case .spin: (3, 0, [])
      case .take(let bytes): (4, bytes, [])
      case .remember(let number): (5, number, [])
      }
    writer.put(kind)
    writer.put(number)
    for call in calls { call.append(to: &writer) }
    return writer.bytes
  }

  init?(encoded bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard reader.take(UInt8.self) == Self.mark, let kind = reader.take(UInt8.self), let number = reader.take(Int64.self)
    else { return nil }
    var calls: [Call] = []
    while !reader.isAtEnd {
      guard let call = Call(from: &reader) else { return nil }
      calls.append(call)
    }
    switch kind {
    case 0: self = .calls(calls)
    case 1: self = .signal(Int32(clamping: number))
    case 2: self = .babble
    case 3: self = .spin
    case 4: self = .take(number)
    case 5: self = .remember(number)
    default: return nil
    }
  }

  package func run(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .calls(let calls): for call in calls { writer.put(call.error()) }
    case .signal(let number): raise(number)
    case .babble: throw .changed
    // Without yielding: on a busy machine that leaves so little processor time that it seems to be stuck.
    case .spin: while true {}
    case .take(let bytes):
      // Not by malloc: the optimiser removes an allocation whose memory is not used.
      let count = Int(clamping: bytes)
      let memory = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
      let isTaken = unsafe memory != MAP_FAILED
      writer.put(UInt8(isTaken ? 1 : 0))
      // Proof: this was mapped just now, and nothing refers to it.
      if isTaken { unsafe munmap(memory, count) }
    case .remember(let number): writer.put(Self.kept.exchange(number, ordering: .relaxed))
    }
    return writer.bytes
  }
}

extension SandboxTrial.Call {
  fileprivate func append(to writer: inout ByteWriter) {
    writer.put(UInt32(clamping: number))
    writer.put(UInt8(clamping: arguments.count))
    for argument in arguments {
      switch argument {
      case .number(let number):
        writer.put(UInt8(0))
        writer.put(number)
      case .text(let text):
        writer.put(UInt8(1))
        writer.put(text)
      case .room: writer.put(UInt8(2))
      }
    }
  }

  fileprivate init?(from reader: inout ByteReader) {
    guard let number = reader.take(UInt32.self), let count = reader.take(UInt8.self) else { return nil }
    self.number = Int(number)
    arguments = []
    for _ in 0..<count {
      switch reader.take(UInt8.self) {
      case 0:
        guard let number = reader.take(Int64.self) else { return nil }
        arguments.append(.number(number))
      case 1:
        guard let text = reader.takeText() else { return nil }
        arguments.append(.text(text))
      case 2: arguments.append(.room)
      default: return nil
      }
    }
  }

  /// Makes the call and returns its errno.
  fileprivate func error() -> Int32 {
    var words = [Int64](repeating: 0, count: 6)
    var memory: [UInt8] = []
    var addresses: [(place: Int, offset: Int)] = []
    for (place, argument) in arguments.prefix(words.count).enumerated() {
      switch argument {
      case .number(let number): words[place] = number
      case .text(let text):
        addresses.append((place, memory.count))
        memory += Array(text.utf8) + [0]
      case .room:
        addresses.append((place, memory.count))
        memory += [UInt8](repeating: 0, count: 4096)
      }
    }
    return unsafe memory.withUnsafeMutableBytes { memory in
      if let base = memory.baseAddress {
        // Proof: each offset lies within the memory, which lives until the call has returned.
        for (place, offset) in addresses { words[place] = unsafe Int64(Int(bitPattern: base + offset)) }
      }
      var value: Int64 = 0
      return unsafe imgfetch_trial_call(Int64(number), words, &value)
    }
  }
}
