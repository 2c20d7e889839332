/// Where the certificates are that servers' certificates are checked against.
enum TrustStore: Equatable {
  /// A file of them, and nothing else.
  case file(String)
  /// A folder with a link for each, named by the hash of its subject: only the one that is needed is read, in under
  /// 3 ms. The file that libcurl would read by itself holds all of them and takes 20.
  case folder(String)
  /// Whatever libcurl was built with.
  case builtIn
  /// The system's, but for a file or a folder that is another one than usual.
  case elsewhere(file: String?, folder: String?)

  /// The system's own.
  static func ofSystem() -> TrustStore {
    let path = "/etc/ssl/certs"
    guard let names = try? Descriptor.folder(path).names() else { return .builtIn }
    return names.contains(where: isHashedName) ? .folder(path) : .builtIn
  }

  /// What a run's options say.
  static func named(by options: NetworkOptions) -> TrustStore {
    if let file = options.caFile { return .file(file) }
    guard options.systemCAFile != nil || options.systemCAFolder != nil else { return ofSystem() }
    var folder = options.systemCAFolder
    if folder == nil, case .folder(let usual) = ofSystem() { folder = usual }
    return .elsewhere(file: options.systemCAFile, folder: folder)
  }

  /// Eight hex digits and `.0`.
  static func isHashedName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard bytes.count == 10, bytes[8] == UInt8(ascii: "."), bytes[9] == UInt8(ascii: "0") else { return false }
    return bytes.prefix(8).allSatisfy {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
    }
  }
}
