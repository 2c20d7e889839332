import ImgfetchCore
import TestSupport
import Testing

/// A server that keeps the client reading frames of HTTP/2 that bring nothing.
@Suite("Floods of frames") struct FrameFloodTests {
  /// Prints its port, and sends the given frames to each client for as long as it reads.
  private static let script = """
    import socket, ssl, struct, sys, threading
    def frame(kind, flags, stream, content=b''):
        return struct.pack('>I', len(content))[1:] + bytes([kind, flags]) + struct.pack('>I', stream) + content
    flood = {
        'empty DATA': frame(0, 0, 1), 'WINDOW_UPDATE': frame(8, 0, 0, struct.pack('>I', 1)),
        'PING': frame(6, 1, 0, bytes(8)), 'PRIORITY': frame(2, 0, 1, bytes([0, 0, 0, 0, 16])),
    }[sys.argv[1]] * 4000
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    context.set_alpn_protocols(['h2'])
    def serve(client):
        try:
            with context.wrap_socket(client, server_side=True) as stream:
                stream.sendall(frame(4, 0, 0))
                seen = b''
                # The client's preface, its settings and its request.
                while len(seen) < 100: seen += stream.recv(4096)
                stream.sendall(frame(4, 1, 0) + frame(1, 4, 1, b'\\x88'))
                while True: stream.sendall(flood)
        except OSError: pass
    listener = socket.create_server(('127.0.0.1', 0))
    print(listener.getsockname()[1], flush=True)
    while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """

  @Test(
    "One is ended within seconds, is no reason to ask again, and other downloads go on",
    arguments: ["empty DATA", "WINDOW_UPDATE", "PING", "PRIORITY"])
  func flood(kind: String) throws {
    let (server, program, folder) = (try TestServer(), try Program(), try TemporaryFolder())
    let certificate = try Certificate(in: folder)
    let relay = try Command(
      Command.find("python3"), ["-c", Self.script, kind, certificate.certificate, certificate.key]
    ).start()
    let port = try #require(try relay.nextLine())
    let gate = Gate()
    // This body is incomplete when the flood has begun.
    server.serve("/a.jpg", .ok(TestImages.jpeg(width: 8, height: 8)).stallAfter(20, until: gate))
    let running = try program.start([
      "get", "--json", "-k", "--cache", "off", "-d", "out", server.url("/a.jpg"), "https://localhost:\(port)/b.jpg",
    ])
    try server.waitForRequests("/a.jpg", 1)
    gate.open()
    let outcome = try running.wait()
    #expect(outcome.exitCode == 3 && program.folder.files(in: "work/out") == ["a.jpg"], "\(outcome)")
    let rows = try outcome.lines.dropLast().map(JSON.object)
    relay.send(9)
    let error = try #require(rows.compactMap { $0["error"] as? [String: Any] }.first)
    if error["kind"] as? String == "timeout" {
      // On a busy machine frames may come more slowly than they are read. No call stands still then, and time limits
      // hold.
      let other = try #require(rows.first { $0["output"] is String })
      #expect(other["elapsed_ms"] as? Double ?? .infinity < 10_000, "\(outcome)")
    } else {
      #expect((error["message"] as? String)?.contains("frames of HTTP/2 without an end") == true, "\(outcome)")
      #expect(error["transient"] as? Bool == false, "\(outcome)")
    }
  }
}
