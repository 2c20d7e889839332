/// The name under which a shard is written on file systems without unnamed files. It says which shard the file is to
/// be, and which host writes it.
package struct ShardTemporaryName: Hashable, Sendable {
  package let host: String
  package let text: String

  private static let prefix = ".imgfetch-shard~"
  private static let separator: Character = "~"

  /// - Parameter distinction: A word that tells it from other attempts.
  package init(_ shard: ShardName, host: String, distinction: String) {
    self.init(file: shard.text, host: host, distinction: distinction)
  }

  /// - Parameter file: the name that the file will get.
  init(file: String, host: String, distinction: String) {
    self.host = Self.safe(host)
    text = "\(Self.prefix)\(file)~\(self.host)~\(distinction)"
  }

  /// The file of this name, or nil if it is no shard in the making.
  package init?(file name: String) {
    guard name.hasPrefix(Self.prefix) else { return nil }
    let parts = name.dropFirst(Self.prefix.count).split(separator: Self.separator, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    host = String(parts[1])
    text = name
  }

  /// True if the file was written on the host of this name.
  package func isOf(host name: String) -> Bool { host == Self.safe(name) }

  /// A host's name as part of a file's name.
  private static func safe(_ host: String) -> String {
    String(
      host.prefix(64).map { letter in
        letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-" || letter == ".") ? letter : "_"
      })
  }
}
