import Synchronization

/// Puts a run's images in a place: a bucket, or the folder of a web server. One object for the whole run.
package final class PlaceOutputs: Sendable {
  /// The result of putting an image.
  package struct Written: Sendable {
    /// The URL, as it is shown.
    package let path: String
    package let change: OutputChange
    /// The reason why the name got digits for the first time, or nil if it did not.
    package let newDigits: NameDigits?
  }

  private let place: RemotePlace
  /// True if no objects are expected under the names, because there was none for the last image.
  private let expectsNew = Atomic<Bool>(false)

  package init(_ place: RemotePlace) { self.place = place }

  /// Prepares to put an image under one of its names, relative to the place, the plain one first. The returned closure
  /// sends it. It is called once, and calls its own argument once, on the network's thread, which must not block.
  ///
  /// - Parameter isRepeated: True if this run has already put an image of this key there.
  package func prepare(
    _ body: ImageBody, type: String, _ options: OutputOptions, isRepeated: Bool, names: [String]
  ) throws(BodyReadFailure) -> @Sendable (@escaping @Sendable (Result<Written, FetchError>) -> Void) -> Void {
    // Read once before it is sent: a damaged body must not go out.
    if !body.isChecked { try body.read { (_) throws(SystemError) in } }
    let hash = try body.contentHash()
    let source: PlaceSource =
      switch body.content {
      case .bytes(let bytes): .bytes(bytes)
      case .file(let stored) where stored.start > 0: .bytes(try body.bytes())
      case .file(let stored): .file(stored.descriptor)
      }
    let candidates = names.compactMap { place.object($0, type: type, length: body.count) }
    guard candidates.count == names.count, !names.isEmpty else {
      let error = FetchError(.file, place.url.display, "a name is too long for a URL there")
      return { $0(.failure(error)) }
    }
    let image = PlaceOutput.Image(
      candidates: candidates, options: options, hash: hash, length: body.count,
      assumesNew: expectsNew.load(ordering: .relaxed) && !isRepeated)
    return { [self] done in place.put(image, source) { [self] end in done(finished(end, names)) } }
  }

  private func finished(_ end: PlaceOutput, _ names: [String]) -> Result<Written, FetchError> {
    guard let outcome = end.outcome else { return .failure(.cancelled) }
    return outcome.map { change in
      expectsNew.store(change == .new, ordering: .relaxed)
      return Written(path: place.display(of: names[end.place]), change: change, newDigits: end.newDigits)
    }
  }
}
