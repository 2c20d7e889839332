import Foundation
import TestSupport
import Testing

/// The libraries that a system may have in place of the libcurl that this was built with. An older one is the system's
/// own behind a stand-in, which refuses what 7.74 does not know; `Scripts/test-all` has the real one.
@Suite("Other libcurls") struct OtherLibcurlTests {
  /// A folder in which the loader finds such a library first.
  private let folder: TemporaryFolder
  private let older: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    older = ["LD_LIBRARY_PATH": folder.path("older")]
    let real = try Self.systemLibrary()
    // Under another name, since a library is found by its name among those that are loaded.
    var bytes = try Data(contentsOf: URL(filePath: real))
    let name = Data("libcurl.so.4\0".utf8)
    while let place = bytes.firstRange(of: name) { bytes.replaceSubrange(place, with: Data("libreal.so.4\0".utf8)) }
    try folder.makeFolder("older")
    try bytes.write(to: URL(filePath: folder.path("older/libreal.so.4")))
    let source = try folder.write("older.c", Self.source)
    // Functions that it does not define itself are found in the library that it needs.
    let built = try Self.compile([
      "-shared", "-fPIC", "-Wl,-soname,libcurl.so.4", "-Wl,--no-as-needed", "-o", folder.path("older/libcurl.so.4"),
      source,
      folder.path("older/libreal.so.4"), "-ldl",
    ])
    try #require(built.exitCode == 0, "\(built)")
  }

  private static let source = """
    #define _GNU_SOURCE
    #include <curl/curl.h>
    #include <dlfcn.h>
    #include <stdarg.h>
    #undef curl_easy_setopt

    CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...) {
      if (option == CURLOPT_PREREQFUNCTION || option == CURLOPT_PREREQDATA || option == CURLOPT_QUICK_EXIT ||
          option == CURLOPT_PROTOCOLS_STR)
        return CURLE_UNKNOWN_OPTION;
      va_list list;
      va_start(list, option);
      void *value = va_arg(list, void *);
      va_end(list);
      __typeof__(&curl_easy_setopt) real = dlsym(dlopen("libreal.so.4", RTLD_LAZY), "curl_easy_setopt");
      return real(easy, option, value);
    }

    curl_version_info_data *curl_version_info(CURLversion version) {
      static curl_version_info_data data;
      __typeof__(&curl_version_info) real = dlsym(dlopen("libreal.so.4", RTLD_LAZY), "curl_version_info");
      data = *real(version);
      data.version = "7.74.0";
      data.version_num = 0x074A00;
      return &data;
    }
    """

  private static func compile(_ arguments: [String]) throws -> Outcome {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let compiler = path.split(separator: ":").map { "\($0)/clang" }.first(where: FileManager.default.isExecutableFile)
    var command = try Command(#require(compiler, "the Swift toolchain has a clang"), arguments)
    command.environment = ["PATH": path]
    return try command.run()
  }

  private static func systemLibrary() throws -> String {
    let line = try Command(Command.find("ldconfig"), ["-p"]).run().lines.first { $0.contains("libcurl.so.4 ") }
    return try #require(line?.split(separator: " ").last.map(String.init), "libcurl is installed")
  }

  @Test("With 7.74 images are fetched, one after another over one connection")
  func fetches() throws {
    let server = try TestServer()
    let program = try Program()
    let image = TestImages.jpeg(width: 20, height: 10)
    server.onOther { _ in .ok(image, type: "image/jpeg") }
    let urls = (1...5).map { server.url("/\($0).jpg") }
    let outcome = try program.run(["get", "-j1", "--ordered"] + urls, environment: older)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.lines.count == 5)
    #expect(server.connections == 1)
    // The noted address decides here, since a cached answer came from one.
    let judged = try program.run(["get", "--offline", "--deny-private", urls[0]], environment: older)
    #expect(judged.exitCode != 0, "\(judged)")
  }

  @Test("With 7.74 a private address is refused, by whatever name")
  func refuses() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    for arguments in [
      [server.url("/a.jpg")],
      ["--resolve", "img.example.org:\(server.port):127.0.0.1", "http://img.example.org:\(server.port)/a.jpg"],
    ] {
      let outcome = try program.run(["get", "--deny-private"] + arguments, environment: older)
      #expect(outcome.exitCode == 8, "\(outcome)")
    }
    #expect(server.connections == 0)
  }

  @Test("With 7.74 a redirect to a private address does not pass over a connection that is open", .needs(.network))
  func reused() throws {
    let (program, older) = (try Program(), older)
    let seen = try OwnNetwork.run { () -> (Outcome, [String]) in
      let open = try TestServer(host: OwnNetwork.publicAddress)
      let closed = try TestServer()
      let image = TestImages.jpeg(width: 20, height: 10)
      for server in [open, closed] { server.onOther { _ in .ok(image, type: "image/jpeg") } }
      open.on("/to-private") { _ in .redirect(to: closed.url("/secret.jpg")) }
      let urls = [closed.url("/first.jpg"), open.url("/to-private")]
      let outcome = try program.run(["get", "-j1", "--ordered"] + urls, environment: older)
      return (outcome, closed.requests.map(\.target))
    }
    #expect(seen.0.exitCode == 8, "\(seen.0)")
    #expect(seen.1 == ["/first.jpg"])
  }

  @Test("With 7.74 a server that takes a request and is silent is told from one that cannot be reached")
  func silent() throws {
    let server = try TestServer()
    let never = Gate()
    server.serve("/a.jpg", .ok(TestImages.jpeg(width: 20, height: 10)).held(by: never))
    let outcome = try Program().run(
      ["get", "--retry", "0", "--timeout", "100ms", server.url("/a.jpg")], environment: older)
    #expect(outcome.exitCode == 3)
    #expect(outcome.errorText.contains("no answer came for 0.1 s"), "\(outcome)")
  }

  @Test("One that is older still is refused, with both versions")
  func tooOld() throws {
    try folder.write("older.c", Self.source.replacing("7.74.0", with: "7.68.0").replacing("0x074A00", with: "0x074400"))
    let built = try Self.compile([
      "-shared", "-fPIC", "-Wl,-soname,libcurl.so.4", "-Wl,--no-as-needed", "-o", folder.path("older/libcurl.so.4"),
      folder.path("older.c"), folder.path("older/libreal.so.4"), "-ldl",
    ])
    try #require(built.exitCode == 0, "\(built)")
    let outcome = try Program().run(["get", "http://127.0.0.1:9/a.jpg"], environment: older)
    #expect(outcome.exitCode == 3 || outcome.exitCode == 1, "\(outcome)")
    #expect(outcome.errorText.contains("libcurl is 7.68.0, and 7.74.0 or later is needed"), "\(outcome)")
  }

  @Test("Where only the libcurl of GnuTLS can be loaded it is used")
  func gnuTLS() throws {
    let server = try TestServer()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    try folder.makeFolder("gnutls")
    // No library; the loader looks no further.
    try folder.write("gnutls/libcurl.so.4", "")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("gnutls/libcurl-gnutls.so.4"), withDestinationPath: Self.systemLibrary())
    let outcome = try Program().run(
      ["get", server.url("/a.jpg")], environment: ["LD_LIBRARY_PATH": folder.path("gnutls")])
    #expect(outcome.exitCode == 0, "\(outcome)")
  }
}
