/// A certificate authority of the test's own, and a server certificate by it.
package struct Certificate: Sendable {
  /// What a client is told to trust.
  package let authority: String
  package let certificate: String
  package let key: String

  /// Makes both in a folder. `names` are what the certificate is good for, as openssl writes them: `DNS:…` and `IP:…`.
  package init(in folder: TemporaryFolder, names: [String] = ["DNS:localhost", "IP:127.0.0.1"]) throws {
    authority = folder.path("ca.pem")
    certificate = folder.path("server.pem")
    key = folder.path("server.key")
    let openssl = try Command.find("openssl")
    func make(_ arguments: [String]) throws {
      let fresh = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
      var command = Command(openssl, fresh + arguments)
      command.folder = folder.path
      let outcome = try command.run()
      if outcome.exitCode != 0 { throw CommandError("openssl: \(outcome)") }
    }
    try make(["-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=imgfetch tests"])
    try make([
      "-CA", "ca.pem", "-CAkey", "ca.key", "-keyout", "server.key", "-out", "server.pem", "-subj",
      "/CN=imgfetch server",
      "-addext", "subjectAltName=\(names.joined(separator: ","))", "-addext", "basicConstraints=critical,CA:FALSE",
    ])
  }
}
