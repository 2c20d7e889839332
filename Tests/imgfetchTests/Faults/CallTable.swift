import Glibc
import ImgfetchCore

/// The effects of each failing system call for a user: for every call that the program makes, and the errors that its
/// manual names and that come up, the fate of the image, of the cache and the exit code.
///
/// A row fails the call every time, as a full disk or a missing right does, or only the one with that number.
/// `FaultTests` walk through single failures at every place of a run.
struct CallTable {
  struct Row: Sendable {
    let call: SystemCall
    /// The name of the call's file, as a shell's pattern, or nil for any file.
    let name: String?
    /// The number of the failing call, from 1, or nil for all.
    let nth: Int?
    let errors: [Errno]
    let use: FaultedUse
    let outcome: FaultedOutcome
    /// The effect in place of the call's purpose.
    let instead: String
    /// True if root alone makes the call.
    var isOfRoot = false

    fileprivate var ofRoot: Row {
      var row = self
      row.isOfRoot = true
      return row
    }
  }

  static let rows = opening + reading + looking + writing + naming + noting + sharing + starting

  private static func row(
    _ call: SystemCall, on name: String? = nil, nth: Int? = nil, _ errors: [Errno], _ use: FaultedUse,
    _ outcome: FaultedOutcome, _ instead: String
  ) -> Row {
    Row(call: call, name: name, nth: nth, errors: errors, use: use, outcome: outcome, instead: instead)
  }

  private static let room: [Errno] = [.noSpace, .overQuota]
  private static let broken: [Errno] = [.inputOutput]
  private static let disk: [Errno] = room + broken
  private static let largest = disk + [Errno(rawValue: EFBIG)]
  private static let denied: [Errno] = [.accessDenied, .readOnlyFileSystem]
  private static let rights: [Errno] = [.notPermitted] + denied
  private static let scarce: [Errno] = [.tooManyOpenFiles, Errno(rawValue: ENFILE), .noMemory]
  private static let unknown: [Errno] = [.invalidArgument, .notImplemented, .notSupported]
  private static let all = disk + rights + scarce

  private static let opening = [
    row(
      .open, on: "*/imgfetch/config", [.inputOutput] + rights + scarce, .configured,
      .refused(2, "the configuration cannot be read"), "the run does not begin"),
    row(.open, on: "list.txt", all, .listed, .refused(7, "list.txt: the list cannot be read"), "no list"),
    row(.open, on: "*/.cache/imgfetch", [.inputOutput, .accessDenied] + scarce, .get, .noCache, "no cache"),
    row(.open, on: ".", all, .get, .noOutput, "no folder to write to"),
    row(.openat, on: "*.part", all, .get, .noCache, "a file without a name in TMPDIR takes the body"),
    row(.openat, on: ".imgfetch-*", broken + rights + scarce, .renew, .noOutput, "the older file stays"),
    row(.openUnnamed, all, .get, .noOutput, "no file to write to"),
    row(.openUnnamed, unknown + [.isDirectory], .get, .nothing, "a hidden name until it is whole"),
    row(.openUnnamed, unknown + [.isDirectory], .uncached, .nothing, "a file in TMPDIR takes the body"),
    row(.mkdirat, all + [Errno(rawValue: EMLINK)], .get, .noCache, "no cache in this run"),
    row(
      .connect, broken + rights + scarce + [.connectionRefused], .toSocket, .noOutput, "no socket to write to"),
    row(.dup, scarce, .renew, .nothing, "a late error of a network's disk is not asked for"),
    row(.close, disk, .clean, .nothing, "closed all the same"),
    row(.close, disk, .get, .noReport, "the exit code alone tells of the image"),
    row(.close, broken, .renew, .noOutput, "the older file stays: what a network's disk took it has lost"),
  ]

  private static let reading = [
    row(
      .read, [.inputOutput, .isDirectory], .configured, .refused(2, "the configuration cannot be read"),
      "the run does not begin"),
    row(.read, [.inputOutput, .isDirectory], .listed, .refused(7, "list.txt: the list cannot be read"), "no list"),
    row(.pread, nth: 1, [.inputOutput, .noMemory], .hit, .nothing, "the image is fetched anew"),
    row(.pread, nth: 2, [.inputOutput], .hitLarge, .nothing, "what cannot be read is fetched anew"),
    row(.pread, [.inputOutput], .hit, .nothing, "it is received into its file, and need not be read back"),
    row(.lseek, [.inputOutput, .invalidArgument], .redirected, .nothing, "the list is read as a stream"),
    row(.getdents, [.inputOutput, .noMemory], .clean, .refused(7, "cannot be"), "nothing is removed"),
    row(.getdents, [.inputOutput, .noMemory], .named, .nothing, "sizes are counted later, and names looked for"),
  ]

  private static let looking = [
    row(.fstat, [.inputOutput, .noMemory], .get, .noCache, "no cache in this run: whose it is cannot be told"),
    // Root asks who else could have put its cache there.
    row(.fstatat, on: "..", [.inputOutput, .accessDenied, .noMemory], .get, .noCache, "the same").ofRoot,
    row(.fstatat, on: "a.jpg", [.inputOutput, .accessDenied, .noMemory], .renew, .noOutput, "the older file stays"),
  ]

  private static let writing = [
    row(.write, nth: 1, largest, .small, .nothing, "no CACHEDIR.TAG"),
    row(.write, nth: 3, room, .small, .noCache, "the cache makes room for the file"),
    row(.write, nth: 3, broken + [Errno(rawValue: EFBIG)], .small, .noOutput, "no file"),
    row(.write, nth: 4, largest, .small, .noReport, "the exit code alone tells of the image"),
    row(.writev, largest, .small, .noCache, "the image comes from memory"),
    row(.pwrite, nth: 1, largest, .get, .nothing, "sizes are counted by walking"),
    row(.pwrite, nth: 2, largest, .get, .noCache, "the file of the output takes the body"),
    row(.pwrite, nth: 3, room, .get, .noCache, "the cache makes room for the file"),
    row(.pwrite, nth: 3, broken + [Errno(rawValue: EFBIG)], .get, .nothing, "it is copied out of the cache"),
    row(.pwrite, nth: 4, largest, .get, .noCache, "the file of the output has what had come, and the rest follows"),
    row(.pwrite, largest, .get, .refused(7, "could not be kept in "), "there is no disk to keep it on"),
    row(.pwrite, largest, .uncached, .refused(7, "could not be kept in "), "no file"),
    row(.copyFileRange, broken, .checked, .noOutput, "no file"),
    row(.copyFileRange, room, .checked, .nothing, "the cache makes room, and it is fetched anew"),
    row(.copyFileRange, unknown + [.crossDevice], .checked, .nothing, "the bytes are read and written"),
    row(.ftruncate, disk, .restart, .noCache, "the part of an older image is removed"),
    row(.fsync, disk, .breakOff, .nothing, "what came is gone on with as long as the machine runs"),
    row(.fallocate, disk + [.notSupported, .invalidArgument], .get, .nothing, "sizes are counted by walking"),
  ]

  private static let naming = [
    row(.renameat, on: "a.jpg", broken + rights, .renew, .noOutput, "the older file stays"),
    row(.renameat, on: "*.part", disk + rights, .renew, .noCache, "the older entry stays"),
    row(.renameat2, disk + denied, .get, .noCache, "the image comes from the part, which has no name any more"),
    row(.renameat2, nth: 2, disk + denied, .renew, .noCache, "the older entry stays"),
    row(.renameat2, unknown + [.notPermitted], .get, .nothing, "a look, and a plain renaming"),
    row(.renameat2, unknown + [.notPermitted], .renew, .nothing, "a plain renaming"),
    row(.linkat, on: "a.jpg", broken + rights + [Errno(rawValue: EMLINK)], .get, .noOutput, "no file"),
    row(.linkat, on: "a.jpg", room, .get, .refused(7, "cannot be written"), "the cache has made room in vain"),
    row(.linkat, on: "a.jpg", disk + rights, .uncached, .noOutput, "no file"),
    row(.linkat, on: "ledger", disk + rights, .get, .nothing, "sizes are counted by walking"),
    row(.unlinkat, [.inputOutput] + rights, .clean, .refused(7, "cannot be"), "the entries stay"),
    row(.unlinkat, [.inputOutput] + rights, .renew, .nothing, "the older entry lies about until it is cleaned away"),
    row(.fchmod, [.inputOutput] + rights, .renew, .noOutput, "the older file stays"),
    row(.fchown, [.inputOutput] + rights, .renew, .nothing, "the group may do no more than all others").ofRoot,
  ]

  private static let noting = [
    row(.futimens, [.inputOutput] + rights, .confirm, .nothing, "the next run asks the origin again"),
    row(.futimens, [.inputOutput] + rights, .dated, .noTime, "the file has the time of its writing"),
    row(.getxattr, [.noAttribute, .notSupported, .inputOutput], .resume, .nothing, "the whole is fetched"),
    row(.getxattr, [.inputOutput, .noMemory], .update, .nothing, "the name's mark is believed"),
    row(.getxattrat, unknown + [.notPermitted], .again, .nothing, "the file is opened and asked, or compared"),
    row(.getxattrat, [.inputOutput, .accessDenied, .noMemory], .again, .nothing, "the file is compared"),
    row(.setxattr, disk + [.notSupported, .accessDenied], .named, .nothing, "a file that does not say whose it is"),
    row(.setxattr, disk + [.notSupported, .accessDenied], .breakOff, .forgotten, "the next run begins anew"),
    row(.removexattr, [.inputOutput, .accessDenied], .resume, .nothing, "an entry with notes that are not read"),
    row(.removexattr, [.inputOutput, .accessDenied], .restart, .noCache, "the part is removed with its notes"),
    row(.removexattr, [.noAttribute, .notSupported], .restart, .nothing, "there were no notes"),
  ]

  private static let sharing = [
    row(.flock, [Errno(rawValue: ENOLCK), .notSupported, .notImplemented], .get, .nothing, "a part of its own"),
    row(.flock, [Errno(rawValue: ENOLCK), .notSupported, .notImplemented], .update, .nothing, "no lock on the file"),
    row(.mmap, [.noMemory, Errno(rawValue: ENODEV), .accessDenied], .get, .nothing, "sizes are counted by walking"),
    row(.munmap, [.invalidArgument, .noMemory], .clean, .nothing, "two pages more until the end"),
    row(.eventfd, scarce, .listed, .nothing, "who waits looks up ten times a second"),
    row(.poll, [.noMemory, .invalidArgument], .piped, .nothing, "the list is read without waiting for it first"),
  ]

  private static let starting = [
    row(.threadCreate, [.tryAgain, .noMemory], .get, .refused(7, "the network's thread"), "no network"),
    row(.threadCreate, [.notPermitted], .get, .refused(7, "seccomp profile"), "no network"),
    row(.threadCreate, nth: 1, [.tryAgain, .noMemory], .listed, .nothing, "signals end the run at once"),
    row(.socket, [.tooManyOpenFiles], .get, .refused(7, "no connection could be opened"), "no connection"),
    row(.socket, [Errno(rawValue: ENFILE), .noMemory, .accessDenied], .get, .refused(3, "127.0.0.1"), "no connection"),
    row(.socketpair, scarce, .decode, .refused(7, "could not be started"), "the image is not let through unlooked at"),
    row(
      .spawn, [.tryAgain, .noMemory, .noSuchFile, .accessDenied], .decode, .refused(7, "could not be started"),
      "the same"),
    row(
      .send, [.noMemory, Errno(rawValue: ENOBUFS), .accessDenied], .helper, .refused(7, "could not be started"),
      "no image is called damaged for it"),
  ]
}
