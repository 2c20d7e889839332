import Foundation

/// A store of the tests, of any kind, behind one face: what every store must do is asked of each in the same way.
///
/// Objects are named by their path from the store's root, without escapes. The first folder of a name is the bucket.
package final class StoreDouble: Sendable {
  package enum Kind: CaseIterable, Sendable {
    /// A web server with WebDAV's methods that makes folders by itself.
    case web
    /// One that wants them made first, such as Apache.
    case webOfFolders
    /// A bucket that is strict about signatures.
    case bucket
    /// A bucket for keys that are valid with a session token.
    case bucketOfSession
    /// A server that is not ours, with its dav module.
    case nginx
    /// A folder, into which outputs and shards may be put by the same rules.
    case folder

    /// The kinds that can be told to answer otherwise.
    package static let scripted: [Kind] = [.web, .webOfFolders, .bucket, .bucketOfSession]
    /// One kind of each protocol.
    package static let ofEachProtocol: [Kind] = [.web, .bucket]
    /// The kinds that are at URLs.
    package static let remote: [Kind] = scripted + [.nginx]

    package var isBucket: Bool { self == .bucket || self == .bucketOfSession }
  }

  /// The answer in place of the true one, or nil for that. It is given the stored bytes.
  package typealias Lie = @Sendable (TestServer.Request, [UInt8]?) -> TestServer.Response?

  private enum Server: Sendable {
    case web(DAVServer)
    case bucket(S3Server)
    case nginx(Nginx)
    case folder(TemporaryFolder)
  }

  package let kind: Kind
  private let server: Server

  package init(_ kind: Kind, host: String = "127.0.0.7") throws {
    self.kind = kind
    switch kind {
    case .web, .webOfFolders: server = .web(try DAVServer(host: host, wantsFolders: kind == .webOfFolders))
    case .bucket, .bucketOfSession:
      var account = S3Server.Account()
      account.sessionToken = kind == .bucketOfSession ? "zeichen/+=" : nil
      server = .bucket(try S3Server(account, host: host))
    case .nginx:
      let directives = "dav_methods PUT DELETE MKCOL MOVE; create_full_put_path on; client_max_body_size 0;"
      server = .nginx(try Nginx(serving: TemporaryFolder(), directives: directives))
    case .folder: server = .folder(try TemporaryFolder())
    }
  }

  /// The name by which the program is given an object, or a folder of them.
  package func url(_ name: String) -> String {
    switch server {
    case .web(let server): server.server.url(Self.path(of: name))
    case .bucket: "s3://\(name)"
    case .nginx(let server): server.url(Self.path(of: name))
    case .folder(let folder): folder.path(name)
    }
  }

  /// The same with a name and a password where the store takes these. A bucket gets its keys from the environment.
  package func identifiedURL(_ name: String) -> String {
    url(name).replacing("http://", with: "http://me:geheim@")
  }

  /// The texts that must appear nowhere, if requests are made with ``identifiedURL(_:)``.
  package var secrets: [String] {
    guard case .bucket(let server) = server else { return ["geheim", "bWU6Z2VoZWlt"] }
    return [server.account.secretKey, "Signature="] + (server.account.sessionToken.map { [$0] } ?? [])
  }

  /// The variables by which a program finds it.
  package var environment: [String: String] { if case .bucket(let server) = server { server.environment } else { [:] } }

  // MARK: The objects

  package var names: [String] {
    switch server {
    case .web(let server): server.names.map { Self.name(of: $0) }.sorted()
    case .bucket(let server): server.names
    case .nginx(let server): server.files.files()
    case .folder(let folder): folder.files()
    }
  }

  package subscript(name: String) -> [UInt8]? {
    switch server {
    case .web(let server): server[Self.path(of: name)]
    case .bucket(let server): server[name]
    case .nginx(let server): server.files.read(name)
    case .folder(let folder): folder.read(name)
    }
  }

  /// Puts an object there behind the program's back.
  package func set(_ name: String, _ bytes: [UInt8]) throws {
    switch server {
    case .web(let server): server[Self.path(of: name)] = bytes
    case .bucket(let server): server[name] = bytes
    case .nginx(let server): try server.files.write(name, bytes)
    case .folder(let folder): try folder.write(name, bytes)
    }
  }

  /// The type that a scripted store was told of an object.
  package func type(of name: String) -> String? {
    switch server {
    case .web(let server): server.type(of: Self.path(of: name))
    case .bucket(let server): server.field("x-test-type", of: name)
    case .nginx, .folder: nil
    }
  }

  // MARK: What a scripted one was asked, and answers

  package var requests: [TestServer.Request] {
    switch server {
    case .web(let server): server.server.requests
    case .bucket(let server): server.server.requests
    case .nginx, .folder: []
    }
  }

  package func count(_ method: String) -> Int { requests.count { $0.method == method } }

  /// The reasons why a bucket refused requests.
  package var refusals: [String] { if case .bucket(let server) = server { server.refusals } else { [] } }

  /// Has it answer otherwise than it should, where `lie` says so.
  package func answer(_ lie: @escaping Lie) throws {
    switch server {
    case .web(let server): server.answer(lie)
    case .bucket(let server): server.answer(lie)
    case .nginx, .folder: throw CommandError("\(kind) cannot be told to answer otherwise")
    }
  }

  /// The true answer to a request, with all its effects.
  package func truth(_ request: TestServer.Request) -> TestServer.Response {
    switch server {
    case .web(let server): server.truth(request)
    case .bucket(let server): server.truth(request)
    case .nginx, .folder: .status(501)
    }
  }

  /// The name of the object that a request is about: where a web server moves it, that name.
  package static func target(of request: TestServer.Request) -> String {
    guard let destination = request["Destination"] else { return name(of: request.path) }
    let parts = destination.split(separator: "/", maxSplits: 2)
    return parts.count == 3 ? name(of: "/\(parts[2])") : ""
  }

  private static func path(of name: String) -> String {
    "/" + (name.addingPercentEncoding(withAllowedCharacters: unreserved) ?? name)
  }

  private static func name(of path: String) -> String { String((path.removingPercentEncoding ?? path).dropFirst()) }

  /// The characters that the program does not escape in a path either.
  private static let unreserved = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
}
