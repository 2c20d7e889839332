import Foundation
import TestSupport
import Testing

/// The compiler names a header, which does not tell a user which package has it.
@Suite("A header that is missing") struct MissingHeaderTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Compiles without any header but those of the compiler and of the project. Returns what the compiler says.
  private static func compile(_ file: String) throws -> String {
    let file = root.appending(path: file)
    var arguments = ["-nostdlibinc", "-fsyntax-only", "-I", root.appending(path: "Sources/CSmallJPEG/include").path]
    arguments += ["-I", file.deletingLastPathComponent().appending(path: "include").path, file.path]
    var command = Command("/usr/bin/env", ["clang"] + arguments)
    // The compiler lies where the toolchain's other programs do.
    command.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
    return try command.run().errorText
  }

  private static func named(in text: String) -> Set<String> {
    Set(
      text.components(separatedBy: "apt-get install ").dropFirst().map { String($0.prefix { !" \"\n".contains($0) }) })
  }

  @Test("Its Debian package is named, for each package that the build needs")
  func allAreNamed() throws {
    let script = try String(contentsOf: Self.root.appending(path: "Scripts/lib/packages"), encoding: .utf8)
    let list = script.components(separatedBy: "build) echo ").dropFirst().first?.components(separatedBy: ";;").first
    let needed = Set((list ?? "").split { " \\\n".contains($0) }.map(String.init))
    #expect(needed.count > 10)
    var named: Set<String> = []
    for file in [
      "CZlib/shim.h", "CDeflate/shim.h", "CCurlShim/curl.c", "CHashShim/hash.c", "CIdnShim/idn.c", "CImageShim/exif.c",
    ] {
      named.formUnion(Self.named(in: try Self.compile("Sources/\(file)")))
    }
    #expect(named == needed)
  }

  @Test("Each file that needs the libraries of images names theirs before the compiler stops")
  func eachFile() throws {
    let folder = Self.root.appending(path: "Sources/CImageShim")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let libraries = [
      "jpeglib.h", "png.h", "gif_lib.h", "webp/", "zimg.h", "lcms2.h", "libexif/", "libheif/", "jxl/", "tiffio.h",
    ]
    for file in files where file.pathExtension == "c" {
      let code = try String(contentsOf: file, encoding: .utf8)
      guard libraries.contains(where: { code.contains("#include <\($0)") }) else { continue }
      let first = code.components(separatedBy: "\n").first { $0.hasPrefix("#include") }
      #expect(first == "#include \"libraries.h\"", "\(file.lastPathComponent)")
    }
  }
}
