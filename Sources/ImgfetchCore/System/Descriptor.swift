import CPosixShim
import Glibc

/// An open file, folder, pipe, socket or device. It has one owner and is closed with it.
package struct Descriptor: ~Copyable, Sendable {
  /// The number, which is valid for as long as this value lives.
  package let raw: Int32

  /// Takes ownership of a descriptor.
  package init(owning raw: Int32) { self.raw = raw }

  deinit { SystemCall.close.attempt { Glibc.close(raw) } }

  /// Closes it and throws if that fails: a delayed write error is reported here at the latest.
  package consuming func close() throws(SystemError) {
    let raw = self.raw
    discard self
    _ = try SystemCall.close.perform { Glibc.close(raw) }
  }

  /// Gives up ownership without closing it.
  package consuming func release() -> Int32 {
    let raw = self.raw
    discard self
    return raw
  }

  /// A second descriptor of the same open file.
  package borrowing func duplicate() throws(SystemError) -> Descriptor { try Self.duplicate(of: raw) }

  /// The same for a number, which the process may have been started with.
  package static func duplicate(of raw: Int32) throws(SystemError) -> Descriptor {
    try Descriptor(owning: SystemCall.dup.perform { imgfetch_duplicate(raw, 0) })
  }

  /// Opens a path, always with close-on-exec. The user has given the path, so symbolic links are followed.
  package static func open(
    _ path: String, _ flags: OpenFlags, mode: mode_t = 0o666
  ) throws(SystemError) -> Descriptor {
    let call = flags.contains(.unnamed) ? SystemCall.openUnnamed : .open
    return try Descriptor(
      owning: call.perform(path: path) {
        unsafe imgfetch_openat(AT_FDCWD, path, flags.rawValue | O_CLOEXEC, mode)
      })
  }

  /// Connects to the local socket at `path`. A socket cannot be opened.
  package static func connected(to path: String) throws(SystemError) -> Descriptor {
    try Descriptor(owning: SystemCall.connect.perform(path: path) { unsafe imgfetch_connect_local(path) })
  }
}

extension WallTime {
  init(_ time: timespec) { self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec)) }

  var timespec: timespec {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    // Before 1970 the nanoseconds still count forwards.
    return Glibc.timespec(
      tv_sec: Int(rest < 0 ? seconds - 1 : seconds), tv_nsec: Int(rest < 0 ? rest + 1_000_000_000 : rest))
  }
}

extension Descriptor {
  /// The file's status.
  package borrowing func status() throws(SystemError) -> FileStatus {
    var answer = stat()
    _ = try SystemCall.fstat.perform { unsafe fstat(raw, &answer) }
    return FileStatus(answer)
  }

  /// The status of the file at a path, following links, without opening it.
  package static func status(ofFile path: String) throws(SystemError) -> FileStatus {
    var answer = stat()
    _ = try SystemCall.fstatat.perform(path: path) {
      // Proof: the path's bytes are used during the call only.
      unsafe path.withCString { unsafe fstatat(AT_FDCWD, $0, &answer, 0) }
    }
    return FileStatus(answer)
  }

  /// Sets the times of this file, whatever has its name by now. Nil leaves a time as it is.
  package borrowing func setTimes(accessed: WallTime?, modified: WallTime?) throws(SystemError) {
    let omit = timespec(tv_sec: 0, tv_nsec: imgfetch_utime_omit)
    let times = [accessed?.timespec ?? omit, modified?.timespec ?? omit]
    _ = try SystemCall.futimens.perform { unsafe futimens(raw, times) }
  }

  /// Sets the file's permissions.
  package borrowing func setMode(_ mode: mode_t) throws(SystemError) {
    _ = try SystemCall.fchmod.perform { fchmod(raw, mode) }
  }

  /// Gives the file to another group, of which the user has to be a member.
  package borrowing func setGroup(_ group: gid_t) throws(SystemError) {
    // The owner stays.
    _ = try SystemCall.fchown.perform { fchown(raw, uid_t.max, group) }
  }

  /// True if the file is on a network file system, where mapped memory and locks work differently.
  package borrowing func isOnNetwork() -> Bool {
    // The magic numbers of statfs(2) for NFS, SMB, SMB2, CIFS, AFS, Ceph, 9p (a host's folder in its guests) and FUSE
    // (sshfs and the like).
    let networks: [Int64] = [
      0x6969, 0x517B, 0xFE53_4D42, 0xFF53_4D42, 0x5346_414F, 0x00C3_6400, 0x0102_1997, 0x6573_5546,
    ]
    return networks.contains(imgfetch_filesystem_type(raw))
  }

  /// True if the file is on a file system that may take names which differ in their case for one.
  package borrowing func mayFoldCase() -> Bool {
    // FAT, exFAT, both drivers of NTFS, HFS+, and the folders that VirtualBox and VMware share.
    let folding: [Int64] = [0x4D44, 0x2011_BAB0, 0x5346_544E, 0x7366_746E, 0x482B, 0x786F_4256, 0xBACB_ACBC]
    return folding.contains(imgfetch_filesystem_type(raw)) || isOnNetwork()
  }

  /// True if the other end of a pipe or socket is closed, so that nothing is read there any
  /// more. Nil if this is neither.
  package borrowing func hasLostReader() -> Bool? {
    let raw = self.raw
    var answer = stat()
    guard (try? SystemCall.fstat.perform { unsafe fstat(raw, &answer) }) != nil,
      [S_IFIFO, S_IFSOCK].contains(answer.st_mode & S_IFMT)
    else { return nil }
    // No events are requested: POLLERR and POLLHUP are always reported.
    var end = pollfd(fd: raw, events: 0, revents: 0)
    guard let count = try? SystemCall.poll.perform({ unsafe poll(&end, 1, 0) }) else { return false }
    return count > 0 && Int32(end.revents) & (POLLERR | POLLHUP) != 0
  }

  /// Takes the file's exclusive lock for this open file description. Returns false if another one holds it. The kernel
  /// releases it when the last descriptor of the description is closed, even if the process is killed.
  package borrowing func tryLock() throws(SystemError) -> Bool {
    let raw = self.raw
    return try SystemCall.flock.succeeds(unless: .tryAgain) { flock(raw, LOCK_EX | LOCK_NB) }
  }

  /// Releases the lock before the file is closed.
  package borrowing func unlock() { SystemCall.flock.attempt { flock(raw, LOCK_UN) } }

  /// Opens a socket that child processes do not inherit.
  package static func socket(family: Int32, type: Int32, protocol: Int32) throws(SystemError) -> Descriptor {
    try Descriptor(
      owning: SystemCall.socket.perform {
        Glibc.socket(family, type | Int32(bitPattern: SOCK_CLOEXEC.rawValue), `protocol`)
      })
  }

  /// Makes the kernel hold back bytes written to a TCP socket of another owner until it fills a segment or this is
  /// undone. If it fails, data is sent at once, and that is all.
  package static func holdBack(_ isHeld: Bool, from socket: Int32) {
    var value: Int32 = isHeld ? 1 : 0
    _ = unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The number of bytes that a TCP socket of another owner has received, or 0 if the kernel does not say.
  package static func received(by socket: Int32) -> Int64 { max(0, imgfetch_socket_received(socket)) }

  /// Ends the connection of a TCP socket of another owner, who still has to close it.
  package static func shutDown(_ socket: Int32) { _ = shutdown(socket, Int32(SHUT_RDWR)) }
}
