/// A folder of a web server, or of a bucket, in which objects get their names: whole, and the first of several attempts
/// wins, if the place supports that.
///
/// Its requests are sent on the fetcher's network thread, with the fetcher's proxy, certificates and retries.
package struct RemotePlace: Sendable {
  package let url: WebURL
  private let desk: PlaceDesk
  /// Sizes of a bucket's uploads.
  var limits = PlaceCommit.Limits()

  init(_ url: WebURL, _ desk: PlaceDesk) {
    self.url = url
    self.desk = desk
  }

  /// The URL of an object as it is shown.
  package func display(of name: String) -> String { url.object(name)?.display ?? "\(url.display)/\(name)" }

  /// Reads a part of an object, and waits for it. Returns nil if there is none of that name. Must not be called on one
  /// of the fetcher's threads.
  package func read(_ name: String, from offset: Int64, count: Int) throws(FetchError) -> PlacePiece? {
    guard let object = url.object(name) else { throw tooLong(name) }
    let read = desk.converse(PlaceRead(object, from: offset, count: count, desk.retry))
    return try read.result?.get() ?? nil
  }

  /// Gives an object its name, and waits for it. Must not be called on one of the fetcher's threads.
  ///
  /// - Parameters:
  ///   - name: The name, below the place. It may hold `/`.
  ///   - temporary: The name on a web server until the object is complete.
  package func commit(
    _ file: SharedDescriptor, _ length: Int64, as name: String, temporary: String, type: String
  ) throws(FetchError) -> CommitOutcome {
    guard let object = object(name, temporary: temporary, type: type, length: length) else { throw tooLong(name) }
    let commit = PlaceCommit(object, desk.retry, limits: limits)
    guard let outcome = desk.converse(commit, sending: .file(file)).outcome else { throw .cancelled }
    return try outcome.get()
  }

  /// An object that may be put here, which is sent under a temporary name beside it to a web server. Nil if
  /// its URL would be too long.
  func object(_ name: String, type: String, length: Int64) -> PlaceCommit.Object? {
    let folder = name.pathSplit.folder.map { "\($0)/" } ?? ""
    return object(name, temporary: "\(folder)\(TemporaryFile.prefix)\(Self.freshMark())", type: type, length: length)
  }

  /// Begins to put an image here. `done` is called once, on the network's thread or before this
  /// returns, and must not block.
  func put(_ image: PlaceOutput.Image, _ source: PlaceSource, done: @escaping @Sendable (PlaceOutput) -> Void) {
    desk.converse(PlaceOutput(image, desk.retry), sending: source, done: done)
  }

  private func object(_ name: String, temporary: String, type: String, length: Int64) -> PlaceCommit.Object? {
    guard let target = url.object(name) else { return nil }
    var object = PlaceCommit.Object(url: target, length: length, type: type, mark: Self.freshMark())
    if target.isOfBucket { return object }
    object.temporary = url.object(temporary)
    object.folders = url.folders(to: name)
    return object.temporary == nil ? nil : object
  }

  private static func freshMark() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

  private func tooLong(_ name: String) -> FetchError {
    FetchError(.file, "\(url.display)/\(name)", "its name is too long for a URL")
  }
}

extension WebURL {
  var isOfBucket: Bool { S3Account.isAddress(typed) }

  /// The object of that name below the URL, or nil if its URL would be too long.
  func object(_ name: String) -> WebURL? {
    let url = below("/" + SignatureV4.encoded(Array(name.utf8), keepingSlashes: true), shownAs: "/" + name)
    return url.flatMap { $0.requestURL.utf8.count <= Self.lengthLimit ? $0 : nil }
  }

  /// The folders that an object below it is in, from the server's root on.
  func folders(to name: String) -> [WebURL] {
    guard let target = object(name) else { return [] }
    let path = Array(target.requestURL.utf8)
    var folders: [WebURL] = []
    for end in target.pathStart + 1..<max(target.pathStart + 1, target.pathEnd) where path[end] == UInt8(ascii: "/") {
      let text = String(decoding: path[..<end], as: UTF8.self) + "/"
      let url = userInfo.map { "\(scheme)://\($0)@\(text.dropFirst(scheme.count + 3))" } ?? text
      if let folder = try? WebURL(url) { folders.append(folder) }
    }
    return folders
  }
}
