import ImgfetchCore

/// Reads the account for `s3://` URLs from the variables and files that Amazon's tools share, when it is first needed.
///
/// May be used by any thread. A run has one, and one account.
final class S3AccountReader: Sendable {
  private let environment: Environment
  private let known = Guarded<Result<S3Account, RunFailure>?>(nil)

  init(_ environment: Environment) { self.environment = environment }

  /// - Throws: ``URLFailure/account(_:)``.
  func account() throws(URLFailure) -> S3Account {
    let result = known.withLock { known in
      let result = known ?? read()
      known = result
      return result
    }
    do throws(RunFailure) { return try result.get() } catch { throw .account(error.message) }
  }

  /// The reason why there is no account; nil if there is one, or if none was needed so far.
  var failure: RunFailure? {
    known.withLock { if case .failure(let failure)? = $0 { failure } else { nil } }
  }

  private func read() -> Result<S3Account, RunFailure> {
    let environment = environment
    let variable = { (name: String) in name == "HOME" ? environment.home : environment.filled(name) }
    do throws(RunFailure) {
      let credentials = try text(S3Profile.credentialsFile(variable))
      let configuration = try text(S3Profile.configurationFile(variable))
      do throws(S3Profile.Mistake) {
        let profile = try S3Profile(variable: variable, credentials: credentials, configuration: configuration)
        return .success(try profile.account())
      } catch { return .failure(.init(message: error.reason, exitCode: UsageError.exitCode)) }
    } catch { return .failure(error) }
  }

  /// The text of a file; empty if there is none.
  private func text(_ path: String?) throws(RunFailure) -> String {
    guard let path else { return "" }
    return try CredentialFile.textIfThere(path, "the account") ?? ""
  }
}
