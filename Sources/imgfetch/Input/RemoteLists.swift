import ImgfetchCore

/// Opens the lists that are at URLs.
struct RemoteLists: Sendable {
  private let open: @Sendable (String) throws(InputList.Failure) -> RemoteList

  /// - Parameter open: begins to download one.
  init(_ open: @escaping @Sendable (String) throws(InputList.Failure) -> RemoteList) { self.open = open }

  func open(_ text: String) throws(InputList.Failure) -> RemoteList { try open(text) }
}
