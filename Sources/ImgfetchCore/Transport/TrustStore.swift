/// The certificates that servers' certificates are checked against.
enum TrustStore: Equatable {
  /// One file of certificates, and nothing else.
  case file(String)
  /// A folder with a link for each certificate, named by the hash of its subject. Only the one that is needed is read,
  /// in under 3 ms; the file that libcurl reads by default holds all of them and takes 20.
  case folder(String)
  /// libcurl's built-in default.
  case builtIn
  /// The system's store, with a file or a folder in another place than usual.
  case elsewhere(file: String?, folder: String?)

  static func ofSystem() -> TrustStore {
    let path = "/etc/ssl/certs"
    guard let names = try? Descriptor.folder(path).names() else { return .builtIn }
    return names.contains(where: isHashedName) ? .folder(path) : .builtIn
  }

  /// The file with all of the system's certificates, of Debian, Arch and Alpine, of Fedora and RHEL, or of openSUSE.
  /// Nil means that none of these is there.
  static var usualFile: String? {
    [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ].first(where: ProcessEnvironment.isFile)
  }

  static func named(by options: NetworkOptions) -> TrustStore {
    if let file = options.caFile { return .file(file) }
    guard options.systemCAFile != nil || options.systemCAFolder != nil else { return ofSystem() }
    var folder = options.systemCAFolder
    if folder == nil, case .folder(let usual) = ofSystem() { folder = usual }
    return .elsewhere(file: options.systemCAFile, folder: folder)
  }

  /// True if a name is eight hex digits and `.0`.
  static func isHashedName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard bytes.count == 10, bytes[8] == UInt8(ascii: "."), bytes[9] == UInt8(ascii: "0") else { return false }
    return bytes.prefix(8).allSatisfy {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
    }
  }
}
