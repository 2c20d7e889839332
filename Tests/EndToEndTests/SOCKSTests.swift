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
  /// to this machine, or refuses with a number.
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

  @Test("A refusal names the proxy, and is a failure of the connection that may pass", arguments: [1, 4, 5])
  func refusal(number: Int) throws {
    let (proxy, address) = try proxy(refusing: number)
    defer { proxy.send(9) }
    let outcome = try program.run(
      "get", "--json", "--retry", "1", "--proxy", "socks5h://\(address)", server.url("/a.jpg"))
    let row = try JSON.object(outcome.lines[0])
    #expect(outcome.exitCode == 3 && row["attempts"] as? Int == 2, "\(outcome)")
    #expect(outcome.errorText.contains("the proxy \(address) failed"), "\(outcome)")
  }
}
