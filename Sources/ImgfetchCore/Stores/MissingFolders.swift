/// The folders of an object. They are made after its store has said that one of them is missing. A pure value.
struct MissingFolders: Sendable {
  /// All of them, the outermost first.
  private let folders: [WebURL]
  /// The folders that are still to be made, or nil if the store has not said that one is missing.
  private var left: ArraySlice<WebURL>?

  init(_ folders: [WebURL]) { self.folders = folders }

  var made: [WebURL] { left.map { folders.dropLast($0.count) } ?? [] }

  /// The request that makes the next one, or nil if none is to be made now.
  var request: PlaceRequest? { left?.first.map { PlaceRequest(method: "MKCOL", url: $0) } }

  /// Begins with the outermost, if the status of a PUT may mean that a folder is missing: WebDAV's 409, and 404 from
  /// servers that deviate from it. Returns true if the PUT has to be repeated after that, which happens once.
  mutating func begin(after status: Int) -> Bool {
    guard status == 409 || status == 404, left == nil else { return false }
    left = folders[...]
    return true
  }

  /// Notes an answer, whatever it is: another process may have made the folder meanwhile. The PUT that follows will
  /// show.
  mutating func noteAnswer() { _ = left?.popFirst() }
}
