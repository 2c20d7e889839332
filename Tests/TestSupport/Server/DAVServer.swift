import ImgfetchCore

/// A web server with WebDAV's methods, which can be told to answer otherwise.
package final class DAVServer: Sendable {
  /// The answer in place of the true one, or nil for that. It is given the stored bytes.
  package typealias Lie = @Sendable (TestServer.Request, [UInt8]?) -> TestServer.Response?

  private struct State {
    var objects: [String: [UInt8]] = [:]
    var types: [String: String] = [:]
    var folders: Set<String> = []
    var lie: Lie?
  }

  package let server: TestServer
  /// True if a PUT into a missing folder is answered with 409, as by Apache.
  private let wantsFolders: Bool
  private let state = Guarded(State())

  package init(host: String = "127.0.0.7", wantsFolders: Bool = false) throws {
    self.wantsFolders = wantsFolders
    server = try TestServer(host: host)
    server.onOther { [self] in answer($0) }
  }

  package var names: [String] { state.withLock { $0.objects.keys.sorted() } }
  package subscript(name: String) -> [UInt8]? {
    get { state.withLock { $0.objects[name] } }
    set { state.withLock { $0.objects[name] = newValue } }
  }
  package func type(of name: String) -> String? { state.withLock { $0.types[name] } }
  package func answer(_ lie: @escaping Lie) { state.withLock { $0.lie = lie } }
  package func count(_ method: String) -> Int { server.requests.count { $0.method == method } }

  private func answer(_ request: TestServer.Request) -> TestServer.Response {
    let (object, lie) = state.withLock { ($0.objects[request.path], $0.lie) }
    return lie?(request, object) ?? truth(request)
  }

  /// The true answer to a request, with all its effects.
  package func truth(_ request: TestServer.Request) -> TestServer.Response {
    state.withLock { state in
      let object = state.objects[request.path]
      switch request.method {
      case "GET", "HEAD":
        guard let object else { return .status(404) }
        return Resource(object, type: "application/octet-stream").answer(request)
      case "PUT":
        if wantsFolders, !state.folders.contains(Self.folder(of: request.path)) { return .status(409) }
        state.objects[request.path] = request.body
        state.types[request.path] = request["Content-Type"]
        return .status(object == nil ? 201 : 204)
      case "MKCOL": return .status(state.folders.insert(request.path).inserted ? 201 : 405)
      case "DELETE":
        state.objects[request.path] = nil
        return .status(object == nil ? 404 : 204)
      case "MOVE":
        guard let target = request["Destination"], target.hasPrefix(server.url("")) else { return .status(400) }
        let name = String(target.dropFirst(server.url("").utf8.count))
        guard let object else { return .status(404) }
        if request["Overwrite"] == "F", state.objects[name] != nil { return .status(412) }
        state.objects[name] = object
        state.types[name] = state.types[request.path]
        state.objects[request.path] = nil
        return .status(201)
      default: return .status(405)
      }
    }
  }

  private static func folder(of path: String) -> String {
    String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}
