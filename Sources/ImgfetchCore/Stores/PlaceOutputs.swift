import Synchronization

/// Puts a run's images in a place: a bucket, or the folder of a web server. One object for the whole run.
package final class PlaceOutputs: Sendable {
  /// The options for putting an image there.
  package struct Options: Sendable {
    package var key: OutputKey
    /// The key itself.
    package var keyText: String
    /// The first of its names that no other image of this run has.
    package var first = 0
    /// The objects that the image may replace.
    package var replaces = Replaceable.any
    package var keepsExisting = false
    /// True if this run has already put an image of this key there.
    package var isRepeated = false
    /// The image's earlier bodies, the last one first.
    package var earlier: [ContentHash] = []

    package init(key: OutputKey, keyText: String) {
      self.key = key
      self.keyText = keyText
    }
  }

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
  package func prepare(
    _ body: ImageBody, type: String, _ options: Options, names: [String]
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
    var image = PlaceOutput.Image(candidates: candidates, key: options.key.hex, hash: hash, length: body.count)
    image.first = options.first
    image.otherKey = OutputKey.otherScheme(of: options.keyText).map { OutputKey(of: $0).hex }
    image.earlier = options.earlier
    image.replaces = options.replaces
    image.keepsExisting = options.keepsExisting
    image.assumesNew = expectsNew.load(ordering: .relaxed) && !options.isRepeated
    return { [self, image] done in place.put(image, source) { [self] end in done(finished(end, names)) } }
  }

  private func finished(_ end: PlaceOutput, _ names: [String]) -> Result<Written, FetchError> {
    let path = place.display(of: names[end.place])
    func written(_ change: OutputChange) -> Result<Written, FetchError> {
      expectsNew.store(change == .new, ordering: .relaxed)
      return .success(Written(path: path, change: change, newDigits: end.newDigits))
    }
    switch end.outcome {
    case .created?: return written(.new)
    case .replaced?: return written(.changed)
    case .unchanged?: return written(.same)
    case .kept?: return written(.kept)
    case .failed(let error)?: return .failure(error)
    case nil: return .failure(.cancelled)
    }
  }
}
