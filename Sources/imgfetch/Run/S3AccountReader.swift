import ImgfetchCore

/// Reads the account for `s3://` URLs from the variables and files that Amazon's tools share, when it is first needed.
///
/// May be used by any thread. A run has one, and one account.
final class S3AccountReader: Sendable {
  private let environment: Environment
  private let known = Guarded<Result<S3Account, URLFailure>?>(nil)

  init(_ environment: Environment) { self.environment = environment }

  /// - Throws: ``URLFailure/account(_:)``.
  func account() throws(URLFailure) -> S3Account {
    try known.withLock { known in
      let result = known ?? read()
      known = result
      return result
    }.get()
  }

  private func read() -> Result<S3Account, URLFailure> {
    let environment = environment
    let variable = { environment.filled($0) }
    do throws(URLFailure) {
      let credentials = try text(S3Profile.credentialsFile(variable))
      let configuration = try text(S3Profile.configurationFile(variable))
      do throws(S3Profile.Mistake) {
        let profile = try S3Profile(variable: variable, credentials: credentials, configuration: configuration)
        return .success(try profile.account())
      } catch { return .failure(.account(error.reason)) }
    } catch { return .failure(error) }
  }

  /// Larger than any of these files.
  private static let limit = 4 << 20

  /// The text of a file; empty if there is none.
  private func text(_ path: String?) throws(URLFailure) -> String {
    guard let path else { return "" }
    var bytes: [UInt8] = []
    do throws(SystemError) {
      let file = try Descriptor.open(path, .read)
      while bytes.count <= Self.limit, try file.read(into: &bytes, count: 64 << 10) > 0 {}
    } catch {
      if error.code == .noSuchFile || error.code == .notDirectory { return "" }
      throw .account("\(path): the account cannot be read: \(error.code)")
    }
    guard bytes.count <= Self.limit else { throw .account("\(path): too large to hold an account") }
    return String(decoding: bytes, as: UTF8.self)
  }
}
