import TestSupport
import Testing

/// Proxies that speak SOCKS.
@Suite("SOCKS proxies") struct SOCKSTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    program = try Program()
  }

  /// Prints its port, and then which host it is asked for and which ways of authentication it is offered. It connects
  /// to this machine, or refuses with a number; with ``wantsPassword`` it does so before it is asked for a host.
  private static let script = """
    import socket, struct, sys, threading
    refusal = int(sys.argv[1])
    def read(stream, count):
        data = b''
        while len(data) < count:
            piece = stream.recv(count - len(data))
            if not piece: raise OSError('it has ended')
            data += piece
        return data
    def pass_on(source, target):
        try:
            while piece := source.recv(65536): target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError: pass
    def serve(client):
        try:
            version, count = read(client, 2)
            offered = read(client, count)
            if refusal == 255: client.sendall(bytes([5, 255])); return client.close()
            client.sendall(bytes([5, 0]))
            kind = read(client, 4)[3]
            host = socket.inet_ntoa(read(client, 4)) if kind == 1 else read(client, read(client, 1)[0]).decode()
            port = struct.unpack('>H', read(client, 2))[0]
            print(kind, host, *offered, flush=True)
            if refusal: client.sendall(bytes([5, refusal, 0, 1]) + bytes(6)); return client.close()
            server = socket.create_connection(('127.0.0.1', port))
            client.sendall(bytes([5, 0, 0, 1]) + bytes(6))
            threading.Thread(target=pass_on, args=(client, server), daemon=True).start()
            pass_on(server, client)
        except OSError: pass
    listener = socket.create_server(('127.0.0.1', 0))
    print(listener.getsockname()[1], flush=True)
    while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """

  /// The answer to a client of which no way of authentication is acceptable.
  private static let wantsPassword = 255

  private func proxy(refusing: Int = 0) throws -> (running: Running, address: String) {
    let running = try Command(Command.find("python3"), ["-c", Self.script, String(refusing)]).start()
    return (running, "127.0.0.1:\(try #require(try running.nextLine()))")
  }

  @Test(
    "socks5h leaves the look-up of names to the proxy, socks5 does not, and neither is offered Kerberos",
    arguments: ["socks5h", "socks5"])
  func names(scheme: String) throws {
    let (proxy, address) = try proxy()
    defer { proxy.send(9) }
    let host = scheme == "socks5h" ? "only-the-proxy-knows.test" : "localhost"
    let outcome = try program.run(
      "get", "-4", "--proxy", "\(scheme)://\(address)", server.url("/a.jpg", host: host))
    #expect(outcome.exitCode == 0 && server.requests.count == 1, "\(outcome)")
    #expect(try proxy.nextLine() == (scheme == "socks5h" ? "3 \(host) 0" : "1 127.0.0.1 0"))
  }

  @Test(
    "A refusal names the proxy and its reason, and may pass unless the proxy would say the same again",
    arguments: [
      (1, 2, "it could not make the connection"), (2, 1, "it does not allow connections to this host and port"),
      (4, 2, "it cannot reach the host"), (5, 2, "the host refuses its connection"),
    ])
  func refusal(number: Int, attempts: Int, reason: String) throws {
    let (proxy, address) = try proxy(refusing: number)
    defer { proxy.send(9) }
    let outcome = try program.run(
      "get", "--json", "--retry", "1", "--proxy", "socks5h://\(address)", server.url("/a.jpg"))
    let row = try JSON.object(outcome.lines[0])
    #expect(outcome.exitCode == 3 && row["attempts"] as? Int == attempts, "\(outcome)")
    #expect(outcome.errorText.contains("the proxy \(address) failed: \(reason)"), "\(outcome)")
  }
  @Test("A proxy that wants a name and password is not asked again without them")
  func unknownUser() throws {
    let (proxy, address) = try proxy(refusing: Self.wantsPassword)
    defer { proxy.send(9) }
    let outcome = try program.run("get", "--json", "--proxy", "socks5h://\(address)", server.url("/a.jpg"))
    let row = try JSON.object(outcome.lines[0])
    #expect(outcome.exitCode == 3 && row["attempts"] as? Int == 1, "\(outcome)")
    #expect(outcome.errorText.contains("it wants a name and password"), "\(outcome)")
  }

  @Test("A name that this side cannot look up is a failure of the name, not of the proxy")
  func ownLookUp() throws {
    let (proxy, address) = try proxy()
    defer { proxy.send(9) }
    let host = String(repeating: "a", count: 64) + ".test"
    let outcome = try program.run(
      "get", "--json", "--retry", "0", "--proxy", "socks5://\(address)", server.url("/a.jpg", host: host))
    let error = try JSON.object(outcome.lines[0])["error"] as? [String: Any]
    #expect(outcome.exitCode == 3 && error?["kind"] as? String == "name", "\(outcome)")
    #expect(outcome.errorText.contains("socks5h leaves names to the proxy"), "\(outcome)")
  }
}
