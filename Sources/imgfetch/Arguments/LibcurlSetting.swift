import ImgfetchCore

/// The libcurl of a run: the system's, or the one that the package brings along.
enum LibcurlSetting {
  static let variable = "IMGFETCH_LIBCURL"

  /// The choice that the variable makes. Without the variable the system's comes first, since that gets the system's
  /// security updates.
  static func choice(_ environment: Environment) throws(UsageError) -> LibcurlChoice {
    switch environment.filled(variable) {
    case nil: return own.map { .systemElse($0) } ?? .system
    case "system"?: return .system
    case "own"?:
      guard let own else {
        throw UsageError(
          "\(variable) is own, and beside this program there is no lib/imgfetch/libcurl.so.4: it is in the tarball and in the wheel",
          help: "man imgfetch-get")
      }
      return .file(own)
    case let path?:
      // A name without a slash would be looked for in folders.
      guard path.utf8.contains(UInt8(ascii: "/")) else {
        throw UsageError(
          "\(variable) is '\(path)'; it takes system, own, or the path of a libcurl", help: "man imgfetch-get")
      }
      return .file(path)
    }
  }

  /// The folders of the package's own, seen from the folder of the program: that of the tarball, and that of the wheel,
  /// of which `pip install --target` leaves out `lib`.
  private static let folders = ["lib", "libexec"]

  /// The package's own libcurl, or nil if it has none.
  ///
  /// Only a file of root or of the program's owner counts, and only if not every user may write to it: the program may
  /// lie in a folder beside which others can make folders. It is looked for once.
  static let own: String? = {
    guard let program = ProcessEnvironment.programFile, let bin = parent(program), let prefix = parent(bin),
      let here = try? Descriptor.folder(".")
    else { return nil }
    for folder in folders {
      let path = "\(prefix)/\(folder)/imgfetch/libcurl.so.4"
      guard let file = try? here.status(of: path), file.kind == .regular, file.mode & 0o002 == 0 else { continue }
      if file.owner == 0 || file.owner == (try? here.status(of: program))?.owner { return path }
    }
    return nil
  }()

  private static func parent(_ path: String) -> Substring? { parent(path[...]) }

  private static func parent(_ path: Substring) -> Substring? {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return nil }
    return path[..<slash]
  }

  /// The sentence of `--version`. Nothing is loaded for that: a file beside the package's own has its version.
  static func text(_ environment: Environment) -> String {
    do throws(UsageError) {
      switch try choice(environment) {
      case .system: return "libcurl of the system"
      case .systemElse(let path): return "libcurl of the system, or where there is none \(name(path))"
      case .file(let path): return name(path)
      }
    } catch { return error.message }
  }

  private static func name(_ path: String) -> String {
    guard path == own else { return path }
    return "libcurl \(version(of: path).map { "\($0), " } ?? "")in the package"
  }

  private static func version(of path: String) -> String? {
    guard let bytes = Descriptor.beginning(of: path + ".version", atMost: 256),
      let text = String(validating: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    else { return nil }
    return SafeText.text(text)
  }
}
