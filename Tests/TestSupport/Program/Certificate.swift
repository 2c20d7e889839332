/// A certificate authority of the test's own, and a server certificate by it.
package struct Certificate: Sendable {
  package enum Kind: Sendable {
    /// Signed by the authority, and good for 30 days.
    case good
    /// Signed by the authority, and good for a day of 2020.
    case expired
    /// Signed by itself alone.
    case selfSigned
  }

  /// The certificate that a client is told to trust.
  package let authority: String
  package let certificate: String
  package let key: String

  /// Makes both in a folder. `names` are what the certificate is good for, as openssl writes them: `DNS:…` and `IP:…`.
  package init(in folder: TemporaryFolder, names: [String] = ["DNS:localhost", "IP:127.0.0.1"], _ kind: Kind = .good)
    throws
  {
    authority = folder.path("ca.pem")
    certificate = folder.path(kind == .selfSigned ? "ca.pem" : "server.pem")
    key = folder.path(kind == .selfSigned ? "ca.key" : "server.key")
    let openssl = try Command.find("openssl")
    func run(_ arguments: [String]) throws {
      var command = Command(openssl, arguments)
      command.folder = folder.path
      let outcome = try command.run()
      if outcome.exitCode != 0 { throw CommandError("openssl: \(outcome)") }
    }
    let request = ["req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    func make(_ arguments: [String]) throws { try run(request + ["-x509", "-days", "30"] + arguments) }
    try make(["-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=imgfetch tests"])
    switch kind {
    case .good: break
    case .selfSigned: return
    case .expired:
      try run(request + ["-new", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=imgfetch server"])
      // `x509 -days` takes no negative number since OpenSSL 3.4, and no dates before.
      let settings = try folder.write(
        "ca.conf",
        """
        [ca]
        default_ca = tests
        [tests]
        database = \(folder.write("ca.index", ""))
        rand_serial = yes
        new_certs_dir = \(folder.path)
        default_md = sha256
        policy = names
        [names]
        commonName = supplied
        """)
      try run([
        "ca", "-batch", "-notext", "-config", settings, "-cert", "ca.pem", "-keyfile", "ca.key", "-in", "server.csr",
        "-out", "server.pem", "-startdate", "20200101000000Z", "-enddate", "20200102000000Z",
      ])
      return
    }
    try make([
      "-CA", "ca.pem", "-CAkey", "ca.key", "-keyout", "server.key", "-out", "server.pem", "-subj",
      "/CN=imgfetch server",
      "-addext", "subjectAltName=\(names.joined(separator: ","))", "-addext", "basicConstraints=critical,CA:FALSE",
    ])
  }
}
