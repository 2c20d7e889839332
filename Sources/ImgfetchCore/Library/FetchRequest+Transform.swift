extension FetchRequest {
  /// What is made of the image before it is delivered; nil: it is delivered as it was fetched.
  ///
  /// The cache keeps the image as it was fetched. What was made of it is kept in memory, and on disk if
  /// ``FetchOptions/cachesDerived`` is set.
  public var transform: ImageTransform? {
    get { (derivation as? TransformDerivation)?.transform }
    set { derivation = newValue.map { TransformDerivation($0, executor: nil) } }
  }

  /// The same request as it is submitted: changed by the program's hook, and with pixels decoded where the fetcher has them decoded.
  func prepared(for pipeline: Pipeline) -> FetchRequest {
    var request = self
    pipeline.hooks.prepare?(&request)
    guard let transform = request.derivation as? TransformDerivation else { return request }
    request.derivation = transform.decoding(by: pipeline.configuration.pixelExecutor)
    return request
  }
}

extension ImageTransform {
  /// A small upright picture without metadata: what a list or a gallery shows.
  ///
  /// - Parameters:
  ///   - width: of the box in pixels.
  ///   - height: of the box in pixels.
  ///   - fit: how the picture fits a box of other proportions. By default it is not enlarged.
  ///   - format: the format of the result; nil: that of the image.
  ///   - quality: 1 to 100; nil: the default of the format.
  public static func thumbnail(
    width: Int, height: Int, fit: Resize.Fit = .down, format: ImageFormat? = .jpeg, quality: Int? = nil
  ) -> ImageTransform {
    ImageTransform(
      steps: [.autoOrient, .resize(Resize(.box(PixelSize(max(1, width), max(1, height))), fit: fit))],
      target: format.map { .format($0) } ?? .same, quality: quality, strips: true, takesFirstFrame: true)
  }
}
