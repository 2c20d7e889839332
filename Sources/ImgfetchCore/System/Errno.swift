import Glibc

/// An error number of the operating system. Its description is the sentence that `strerror` has for it.
public struct Errno: RawRepresentable, Error, Hashable, Sendable {
  /// The number as `errno` holds it.
  public let rawValue: Int32

  /// The error with this number.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The error of this thread's last failed call.
  package static var last: Errno { Errno(rawValue: Glibc.errno) }

  package static let notPermitted = Errno(rawValue: EPERM)
  package static let noSuchFile = Errno(rawValue: ENOENT)
  package static let interrupted = Errno(rawValue: EINTR)
  package static let inputOutput = Errno(rawValue: EIO)
  package static let tryAgain = Errno(rawValue: EAGAIN)
  package static let accessDenied = Errno(rawValue: EACCES)
  package static let busy = Errno(rawValue: EBUSY)
  package static let fileExists = Errno(rawValue: EEXIST)
  package static let crossDevice = Errno(rawValue: EXDEV)
  package static let notDirectory = Errno(rawValue: ENOTDIR)
  package static let isDirectory = Errno(rawValue: EISDIR)
  package static let directoryNotEmpty = Errno(rawValue: ENOTEMPTY)
  package static let invalidArgument = Errno(rawValue: EINVAL)
  package static let tooManyOpenFiles = Errno(rawValue: EMFILE)
  package static let noSpace = Errno(rawValue: ENOSPC)
  package static let fileTooLarge = Errno(rawValue: EFBIG)
  package static let overQuota = Errno(rawValue: EDQUOT)
  package static let readOnlyFileSystem = Errno(rawValue: EROFS)
  package static let badDescriptor = Errno(rawValue: EBADF)
  package static let brokenPipe = Errno(rawValue: EPIPE)
  package static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  package static let notImplemented = Errno(rawValue: ENOSYS)
  package static let notSupported = Errno(rawValue: EOPNOTSUPP)
  package static let tooManySymbolicLinks = Errno(rawValue: ELOOP)
  package static let noSuchDevice = Errno(rawValue: ENXIO)
  package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  package static let connectionReset = Errno(rawValue: ECONNRESET)
  package static let noSuchProcess = Errno(rawValue: ESRCH)
  package static let noMemory = Errno(rawValue: ENOMEM)
  package static let noAttribute = Errno(rawValue: ENODATA)
  package static let outOfRange = Errno(rawValue: ERANGE)
}

extension Errno {
  /// True if the process, or the whole system, has run out of something: another file would fail as well.
  package var isLackOfResources: Bool {
    [.tooManyOpenFiles, Errno(rawValue: ENFILE), .noMemory].contains(self)
  }
}

extension Errno: CustomStringConvertible {
  /// The text of `strerror`, such as "No space left on device".
  public var description: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let base = buffer.baseAddress, unsafe strerror_r(rawValue, base, buffer.count) == 0 else {
        return "error \(rawValue)"
      }
      return unsafe String(cString: base)
    }
  }
}
