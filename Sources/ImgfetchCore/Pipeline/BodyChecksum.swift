/// The SHA-256 of an answer's bytes. It is computed when it is first needed, and only once.
struct BodyChecksum {
  private let body: ImageBody
  private var known: [UInt8]?

  init(of body: ImageBody) { self.body = body }

  /// - Parameter url: what errors are said of.
  mutating func digest(for url: String) throws(FetchError) -> [UInt8] {
    if let known { return known }
    let digest = try body.sha256(for: url)
    known = digest
    return digest
  }

  /// An error if the bytes are not those that the request names; nil if they are, or it names none.
  mutating func objection(to request: FetchRequest) throws(FetchError) -> FetchError? {
    guard let wanted = request.sha256 else { return nil }
    let found = try digest(for: request.url.display)
    if found == wanted { return nil }
    return FetchError(
      .checksum, request.url.display, "its SHA-256 is \(Self.hex(found)), and \(Self.hex(wanted)) was asked for")
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension ImageBody {
  /// - Parameter url: what errors are said of.
  func sha256(for url: String) throws(FetchError) -> [UInt8] {
    var hash = SHA256()
    do throws(BodyReadFailure) { try read { hash.update($0) } } catch {
      throw FetchError(.checksum, url, "its checksum cannot be worked out: its stored bytes cannot be read")
    }
    return hash.finish()
  }
}
