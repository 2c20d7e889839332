extension FetchRequest {
  /// The transform of the image before it is delivered, or nil to deliver it as it was fetched.
  ///
  /// The cache keeps the image as it was fetched. The transformed image is kept in memory, and on disk if
  /// ``FetchOptions/cachesDerived`` is set.
  public var transform: ImageTransform? {
    get { (derivation as? TransformDerivation)?.transform }
    set { derivation = newValue.map { TransformDerivation($0, executor: nil) } }
  }

  /// The same request in the form in which it is submitted: changed by the program's hook, and with the fetcher's place
  /// for decoding.
  func prepared(for pipeline: Pipeline) -> FetchRequest {
    var request = self
    pipeline.hooks.prepare?(&request)
    guard let transform = request.derivation as? TransformDerivation else { return request }
    request.derivation = transform.decoding(by: pipeline.configuration.pixelExecutor)
    return request
  }
}
