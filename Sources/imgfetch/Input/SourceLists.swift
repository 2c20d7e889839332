import ImgfetchCore

/// Opens the list of the images that sources name.
struct SourceLists: Sendable {
  private let begin: @Sendable () -> any ListStream

  /// - Parameter begin: Begins to read the sources.
  init(_ begin: @escaping @Sendable () -> any ListStream) { self.begin = begin }

  func open() -> any ListStream { begin() }
}
