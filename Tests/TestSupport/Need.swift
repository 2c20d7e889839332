import CTestSupport
import Glibc
import ImgfetchCore

/// A test's need of the machine and its user beside the packages that `Scripts/test` installs. A test whose need is not
/// met is skipped, with the reason; `Scripts/test` counts these.
package enum Need: Sendable {
  /// Mounts that nothing else sees.
  case mounts
  /// A network that nothing else sees: see ``OwnNetwork``.
  case network
  /// A name server of the test's own: see ``NameServer``.
  case nameServer
  /// To be root.
  case root
  /// To look into processes that do not want it, such as the helpers that decode.
  case tracing
  /// Terminals for a program that starts others at them.
  case terminals
  /// A file system that is mounted through FUSE: see ``FUSEFolder``.
  case fuse
  /// The program as it is released.
  case releaseBuild
  /// The program without a sanitizer, which has memory, files and system calls of its own.
  case plainBuild

  package var isMet: Bool {
    switch self {
    case .mounts: Self.hasMounts
    case .network: Self.hasNetwork
    case .nameServer: Self.hasNameServer
    case .root: geteuid() == 0
    case .tracing: Self.mayTrace
    case .terminals: access("/dev/pts/ptmx", F_OK) == 0 || (geteuid() == 0 && Self.hasMounts)
    case .fuse: FUSEFolder.isPossible
    case .releaseBuild: Program.path.contains("/release/")
    case .plainBuild: !Program.isSanitized
    }
  }

  /// The reason why a test is skipped.
  package var reason: String {
    switch self {
    case .mounts: "needs a mount namespace, which this user may not make here"
    case .network: "needs a network namespace, which this user may not make here"
    case .nameServer: "needs a network and a mount namespace, which this user may not make here"
    case .root: "needs root"
    case .tracing: "needs CAP_SYS_PTRACE, to look into a helper"
    case .terminals: "needs /dev/pts"
    case .fuse: "needs bindfs, and the right to mount with it"
    case .releaseBuild: "needs the release build, as Scripts/test makes it"
    case .plainBuild: "needs a build without a sanitizer, which has memory, files and system calls of its own"
    }
  }

  private static let hasMounts: Bool = {
    let command = MountNamespace.command(["/bin/mount", "-t", "tmpfs", "none", "/tmp"])
    return (try? command.run().exitCode) == 0
  }()

  private static let hasNetwork = (try? OwnNetwork.run { true }) == true

  private static let hasNameServer =
    (try? OwnNetwork.run { test_use_resolver("/dev/null") == 0 }) == true

  /// The number of CAP_SYS_PTRACE.
  private static let trace = 19

  private static let mayTrace: Bool = {
    let line = (Command.text(of: "/proc/self/status") ?? "").split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    let set = line.flatMap { UInt64($0.dropFirst(7).trimmingPrefix(while: \.isWhitespace), radix: 16) } ?? 0
    return set >> trace & 1 == 1
  }()
}

/// Commands that mount what nothing else sees.
package enum MountNamespace {
  /// The command in such a namespace, in which its user is root.
  package static func command(_ words: [String]) -> Command {
    Command("/usr/bin/unshare", (geteuid() == 0 ? [] : ["--map-root-user"]) + ["--mount"] + words)
  }
}
