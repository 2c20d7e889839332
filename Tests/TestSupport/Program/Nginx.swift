import Glibc
import ImgfetchCore

/// Debian's nginx on free loopback ports, over HTTP/1.1 and over TLS with HTTP/2: a server that is not ours, to be
/// believed where ours may share a mistake with the program. It ends with the last reference.
package final class Nginx: Sendable {
  /// One request, as nginx logged it.
  package struct Entry: Hashable, Sendable {
    /// Such as HTTP/2.0.
    package let version: String
    package let method: String
    package let target: String
    package let status: Int
    package let bodyBytes: Int
    /// The connection's number among all, and that of the request on it (from 1).
    package let connection: Int
    package let ordinal: Int
    /// The Range field, empty if there was none.
    package let range: String
    /// The host that was asked for.
    package let host: String
    /// True if its connection went on with an earlier TLS session.
    package let isResumed: Bool
  }

  /// The served files: a file put here is there at once.
  package let files: TemporaryFolder
  package let certificate: Certificate
  private let folder: TemporaryFolder
  private let running: Running
  private let plain: LoopbackAddress
  private let secure: LoopbackAddress
  private let seen = Guarded<[Entry]>([])

  /// - Parameters:
  ///   - files: the folder that it serves.
  ///   - names: what its certificate is good for.
  ///   - directives: further lines of its `server` block.
  package init(
    serving files: TemporaryFolder, names: [String] = ["DNS:localhost", "IP:127.0.0.1"], directives: String = "",
    certificate kind: Certificate.Kind = .good
  ) throws {
    self.files = files
    folder = try TemporaryFolder()
    certificate = try Certificate(in: folder, names: names, kind)
    let plainSocket = try ListeningSocket()
    let secureSocket = try ListeningSocket()
    plain = plainSocket.address
    secure = secureSocket.address
    try folder.write(
      "nginx.conf",
      Self.configuration(
        folder: folder.path, files: files.path, plain: plain, secure: secure, certificate: certificate,
        directives: directives))

    // The sockets are handed over open, by the way in which one nginx succeeds another: so no port is guessed, and
    // clients that connect before nginx is ready only wait.
    var command = Command(
      try Command.find("nginx"),
      ["-p", folder.path, "-c", folder.path("nginx.conf"), "-e", folder.path("error.log")])
    command.inherited = [plainSocket.descriptor, secureSocket.descriptor]
    command.environment = ["NGINX": "3;4;"]
    running = try command.start()
  }

  private static func configuration(
    folder: String, files: String, plain: LoopbackAddress, secure: LoopbackAddress, certificate: Certificate,
    directives: String
  ) -> String {
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "  \($0)_temp_path \(folder)/\($0);" }.joined(separator: "\n")
    return """
      daemon off;
      worker_processes 1;
      \(geteuid() == 0 ? "user root;" : "")
      pid \(folder)/nginx.pid;
      error_log \(folder)/error.log;
      events { worker_connections 1024; }
      http {
      \(temporary)
        types { image/jpeg jpg; image/png png; image/gif gif; image/webp webp; text/html html; }
        log_format tests '$server_protocol\\t$request_method\\t$request_uri\\t$status\\t$body_bytes_sent\\t$connection\\t$connection_requests\\t$http_range\\t$host\\t$ssl_session_reused';
        access_log /dev/stdout tests;
        keepalive_requests 100000;
        server {
          listen \(plain.authority);
          listen \(secure.authority) ssl http2;
          ssl_certificate \(certificate.certificate);
          ssl_certificate_key \(certificate.key);
          root \(files);
          \(directives)
        }
      }
      """
  }

  /// The URL of a path over HTTP/1.1.
  package func url(_ path: String) -> String { "http://\(plain.authority)\(path)" }

  /// The URL of a path over TLS, where HTTP/2 is offered. Clients must be told of ``Certificate/authority``.
  package func secureURL(_ path: String, host: String? = nil) -> String {
    "https://\(host.map { "\($0):\(secure.port)" } ?? secure.authority)\(path)"
  }

  /// The address for TLS.
  package var secureAddress: LoopbackAddress { secure }

  /// Sleeps until at least `count` requests are over and logged. Returns all of them, in the order of their ends.
  package func requests(atLeast count: Int) throws -> [Entry] {
    while seen.withLock({ $0.count }) < count {
      guard let line = try running.nextLine() else {
        throw CommandError("nginx ended: \(folder.text("error.log") ?? "")")
      }
      take(line)
    }
    return seen.withLock { $0 }
  }

  /// Ends it; the answer is all requests that there were.
  package func stop() throws -> [Entry] {
    running.send(SIGQUIT)
    while let line = try running.nextLine() { take(line) }
    _ = try running.wait()
    return seen.withLock { $0 }
  }

  /// The log of errors.
  package var errors: String { folder.text("error.log") ?? "" }

  private func take(_ line: String) {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 10 else { return }
    let numbers = fields.map { Int($0) ?? -1 }
    let entry = Entry(
      version: fields[0], method: fields[1], target: fields[2], status: numbers[3], bodyBytes: numbers[4],
      connection: numbers[5], ordinal: numbers[6], range: fields[7] == "-" ? "" : fields[7],
      host: fields[8], isResumed: fields[9] == "r")
    seen.withLock { $0.append(entry) }
  }
}
