/// A sink's report about an image.
public struct Delivery: Sendable {
  /// The name of the image's output, for reports, or nil if it has none.
  public var output: String?
  /// True if anything new was written.
  public var isNew: Bool
  /// The change to the output file. The default, nil, means that there is no file, or that the sink does not say.
  public var written: OutputChange?
  /// The URL of the image that has been delivered in place of this one, because both are the same. The default is nil.
  package var duplicateOf: String?

  /// Creates a delivery to `output`.
  public init(output: String?, isNew: Bool) {
    self.output = output
    self.isNew = isNew
  }

  /// Creates a delivery to the file `output`.
  public init(output: String?, written: OutputChange) {
    self.output = output
    self.written = written
    isNew = written == .new || written == .changed
  }
}

/// The rest of a delivery.
package typealias PendingDelivery = @Sendable (@escaping @Sendable (Result<Delivery, FetchError>) -> Void) -> Void
