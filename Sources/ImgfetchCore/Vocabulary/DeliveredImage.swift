/// An image on its way to a sink, complete and verified.
public final class DeliveredImage: Sendable {
  /// The facts about the image, or nil if it was not inspected (``Verification/none``).
  public let facts: ImageFacts?
  /// The details that the request asks for, of the image as it was fetched.
  public let details: ImageDetails?
  /// The hash of its key in hex, as in the cache's file names.
  public var keyHash: String { key.hex }
  private let key: ContentHash
  /// The response's header fields.
  public var fields: HeaderFields { fieldSource.fields }
  private let fieldSource: FieldSource
  /// The bytes of the image, in memory or in a file. ``bytes()`` and ``read(_:)`` return them.
  public let body: ImageBody
  /// The bytes as they came, from which the delivered ones may have been made.
  package let original: ImageBody
  /// Their format, or nil if they were not inspected.
  package let originalFormat: ImageFormat?
  /// The source of the image, and the image that it replaces.
  package let history: ImageHistory
  /// The subject of errors.
  private let subject: String
  /// Called if the body is read after the delivery, and turns out to be damaged. With nil the
  /// body is known to be right.
  let whenDamaged: (@Sendable () -> Void)?

  package init(
    facts: ImageFacts?, details: ImageDetails? = nil, key: ContentHash, fields: FieldSource, body: ImageBody,
    madeOf original: (body: ImageBody, format: ImageFormat?)? = nil, history: ImageHistory = ImageHistory(),
    of subject: String = "the image", whenDamaged: (@Sendable () -> Void)? = nil
  ) {
    self.original = original?.body ?? body
    originalFormat = original == nil ? facts?.format : original?.format
    self.history = history
    self.subject = subject
    self.whenDamaged = whenDamaged
    self.facts = facts
    self.details = details
    self.key = key
    fieldSource = fields
    self.body = body
  }

  /// The same image, with its bytes in another place.
  package func with(_ body: ImageBody) -> DeliveredImage {
    DeliveredImage(
      facts: facts, details: details, key: key, fields: fieldSource, body: body,
      madeOf: original === self.body ? nil : (original, originalFormat), history: history, of: subject)
  }

  /// All of its bytes, checked.
  ///
  /// Throws ``FetchError/Kind/damaged`` if a stored image has been damaged since it was stored. A sink that passes that
  /// error on is called once more, with the image as it is fetched anew.
  public func bytes() throws(FetchError) -> [UInt8] {
    do throws(BodyReadFailure) { return try body.bytes() } catch { throw failure(error) }
  }

  /// Passes its bytes to `take` once, piece by piece, each some hundred kilobytes at most: for an image that is too
  /// large for memory.
  ///
  /// A stored image is checked while it is read: if this throws, everything that was made of the pieces must be
  /// discarded. An error of `take` ends the reading, and is rethrown.
  public func read(_ take: (borrowing Span<UInt8>) throws(FetchError) -> Void) throws(FetchError) {
    var own: FetchError?
    do throws(BodyReadFailure) {
      try body.read { (piece) throws(SystemError) in
        do throws(FetchError) { try take(piece) } catch {
          own = error
          throw SystemError(.pread, .interrupted)
        }
      }
    } catch { throw own ?? failure(error) }
  }

  private func failure(_ failure: BodyReadFailure) -> FetchError {
    FetchError(.damaged, subject, "its stored bytes cannot be read", isTransient: true)
  }
}
