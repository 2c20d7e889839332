import CPosixShim
import Glibc

/// What the file system says of a file.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Sendable { case regular, directory, symbolicLink, other }

  package let kind: Kind
  package let size: Int64
  package let mode: mode_t
  package let owner: uid_t
  package let links: Int
  /// Which file it is: two names with the same identity are one file.
  package let identity: Identity
  package let modified: WallTime
  package let accessed: WallTime
  /// When anything about it was changed last, its name included. Nobody can set this one back.
  package let changed: WallTime

  package struct Identity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
  }

  init(_ raw: stat) {
    kind =
      switch raw.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      default: .other
      }
    size = Int64(raw.st_size)
    mode = raw.st_mode & 0o7777
    owner = raw.st_uid
    links = Int(raw.st_nlink)
    identity = Identity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino))
    modified = WallTime(raw.st_mtim)
    accessed = WallTime(raw.st_atim)
    changed = WallTime(raw.st_ctim)
  }
}

extension WallTime {
  init(_ time: timespec) { self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec)) }

  var timespec: timespec {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    // Before 1970 the nanoseconds count forwards too.
    return Glibc.timespec(
      tv_sec: Int(rest < 0 ? seconds - 1 : seconds), tv_nsec: Int(rest < 0 ? rest + 1_000_000_000 : rest))
  }
}

extension Descriptor {
  package borrowing func status() throws(SystemError) -> FileStatus {
    var answer = stat()
    _ = try SystemCall.fstat.perform { unsafe fstat(raw, &answer) }
    return FileStatus(answer)
  }

  /// The status of the file that a path leads to, which is not opened.
  package static func status(ofFile path: String) throws(SystemError) -> FileStatus {
    var answer = stat()
    _ = try SystemCall.fstatat.perform(path: path) {
      // Proof: the path's bytes are used during the call only.
      unsafe path.withCString { unsafe fstatat(AT_FDCWD, $0, &answer, 0) }
    }
    return FileStatus(answer)
  }

  /// Sets the times of this very file (not of whatever has its name by now); nil leaves one as it is.
  package borrowing func setTimes(accessed: WallTime?, modified: WallTime?) throws(SystemError) {
    let omit = timespec(tv_sec: 0, tv_nsec: imgfetch_utime_omit)
    let times = [accessed?.timespec ?? omit, modified?.timespec ?? omit]
    _ = try SystemCall.futimens.perform { unsafe futimens(raw, times) }
  }

  package borrowing func setMode(_ mode: mode_t) throws(SystemError) {
    _ = try SystemCall.fchmod.perform { fchmod(raw, mode) }
  }

  /// Whether the file lies on a network's file system, where mapped memory and locks are not what they are at home.
  package borrowing func isOnNetwork() -> Bool {
    // NFS, SMB, SMB2, CIFS, AFS, Ceph, 9p (a host's folder in its guests), FUSE (sshfs and its kin): the magic numbers of statfs(2).
    let networks: [Int64] = [
      0x6969, 0x517B, 0xFE53_4D42, 0xFF53_4D42, 0x5346_414F, 0x00C3_6400, 0x0102_1997, 0x6573_5546,
    ]
    return networks.contains(imgfetch_filesystem_type(raw))
  }

  /// Whether the other end of a pipe or socket has gone, so that nothing is read there any more; nil where this is neither.
  package borrowing func hasLostReader() -> Bool? {
    let raw = self.raw
    var answer = stat()
    guard (try? SystemCall.fstat.perform { unsafe fstat(raw, &answer) }) != nil,
      [S_IFIFO, S_IFSOCK].contains(answer.st_mode & S_IFMT)
    else { return nil }
    // Nothing is asked for: these two are told of in any case.
    var end = pollfd(fd: raw, events: 0, revents: 0)
    guard let count = try? SystemCall.poll.perform({ unsafe poll(&end, 1, 0) }) else { return false }
    return count > 0 && Int32(end.revents) & (POLLERR | POLLHUP) != 0
  }

  /// Takes the file's lock for this opening of it, if nobody has it. False: somebody has. The kernel gives it back when
  /// the last descriptor of this opening is closed, whatever ended the process.
  package borrowing func tryLock() throws(SystemError) -> Bool {
    do {
      _ = try SystemCall.flock.perform { flock(raw, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      if error.code == .tryAgain { return false }
      throw error
    }
  }

  /// Gives the lock back before the file is closed.
  package borrowing func unlock() { SystemCall.flock.attempt { flock(raw, LOCK_UN) } }
}
