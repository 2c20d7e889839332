/// A sink whose files have marks of their sources, so that an existing image is not made anew.
package protocol StandingSink: ImageSink {
  /// Returns the file of this request that was made of that image, or nil if there is none, or if it has been changed.
  /// Called on a disk thread.
  ///
  /// - Parameter facts: the expected properties of the result, as far as its name depends on them.
  func standing(_ origin: OutputOrigin, _ facts: ImageFacts, for request: FetchRequest) -> ImageBody?
}
