/// A destination for images: a file, a pipe, a program's own memory.
///
/// Called on the fetcher's disk threads, for several images at once. It may block; other images then wait.
public protocol ImageSink: Sendable {
  /// Takes the image and returns where it went. A thrown error becomes the request's error.
  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery
}

/// A sink that lends the file in which an image will be, so that a body which no cache keeps is written once.
///
/// A large body goes straight into that file, and is inspected and counted on the way. It has no name until
/// ``receive(_:for:)`` gives it one. The sink recognises its file by ``ImageBody/lent``.
package protocol LendingSink: ImageSink {
  /// Returns a place for a body, or nil if there is none to be had. Called on a disk thread.
  ///
  /// - Parameter length: the most bytes that the body has, or nil if that is not known.
  func lend(for request: FetchRequest, atMost length: Int64?) -> LentFile?
}

/// A sink whose files name their sources, so that an existing image is not made anew.
package protocol StandingSink: ImageSink {
  /// Returns the file of this request that was made of that image, or nil if there is none, or if it has been changed.
  /// Called on a disk thread.
  ///
  /// - Parameter facts: the expected properties of the result, as far as its name depends on them.
  func standing(_ origin: OutputOrigin, _ facts: ImageFacts, for request: FetchRequest) -> ImageBody?
}

/// A file that a sink lends, without a name.
package struct LentFile: Sendable {
  package let file: SharedDescriptor
  /// The offset in the file at which the body goes.
  package let start: Int64
  /// The number of bytes in the file for this body, if other images go into it, too. With nil the file is
  /// empty, and the body's alone.
  package let room: Int64?
  /// The folder of the file, for messages.
  package let folder: String

  package init(_ file: SharedDescriptor, in folder: String, from start: Int64 = 0, room: Int64? = nil) {
    self.file = file
    self.start = start
    self.room = room
    self.folder = folder
  }
}

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

/// The change to a file that an image was to go to.
public enum OutputChange: String, Sendable, CaseIterable {
  /// No file existed before.
  case new
  /// The file had other bytes.
  case changed
  /// The file had these bytes already, and was left as it is.
  case same
  /// The file existed, and was kept as it is.
  case kept
}

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
  /// The bytes as they came, of which these may have been made.
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
  /// Throws ``FetchError/Kind/damaged`` where a stored image has been damaged since it was stored. A sink that passes
  /// that error on is called once more, with the image as it is fetched anew.
  public func bytes() throws(FetchError) -> [UInt8] {
    do throws(BodyReadFailure) { return try body.bytes() } catch { throw failure(error) }
  }

  /// Passes its bytes to `take` once, piece by piece, each some hundred kilobytes at most: for an image that
  /// is too large for memory.
  ///
  /// A stored image is checked while it is read: if this throws, all that was made of the pieces must be discarded. An
  /// error of `take` ends the reading, and is thrown on.
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

/// An image's past, for sinks that keep files.
package struct ImageHistory: Sendable {
  /// The hashes of the earlier bodies of its entry in the cache, the last one first.
  package var earlier: [ContentHash] = []
  /// The image that this one has just replaced in the cache, if any.
  package var superseded: SupersededImage?
  /// The source of a derived image, or nil for the original.
  package var origin: OutputOrigin?
  /// The URL that answered, without a password.
  package var finalURL = ""

  package init() {}
}

/// An image that another one has replaced in the cache.
package struct SupersededImage: Sendable {
  package let hash: ContentHash
  package let facts: ImageFacts
}

/// A sink that is done with an image later, on another thread: its destination is slow, and takes many images at once.
package protocol DeferringSink: ImageSink {
  /// Called on a disk thread, with the arguments of ``ImageSink/receive(_:for:)``. An error is that of the image. The
  /// returned closure is called once, and calls its own argument once, from any thread.
  func prepare(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> PendingDelivery
}

extension DeferringSink {
  package func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    throw FetchError(.file, request.url.display, "this sink is done later only")
  }
}

/// The rest of a delivery.
package typealias PendingDelivery = @Sendable (@escaping @Sendable (Result<Delivery, FetchError>) -> Void) -> Void

/// A response's header fields. They are decoded when they are read, because most cached answers are used without them.
package enum FieldSource: Sendable {
  /// Indirect, so that copying an answer copies one reference.
  indirect case ready(HeaderFields)
  /// The fields in the form in which an entry stores them.
  case encoded([UInt8])

  package var fields: HeaderFields {
    switch self {
    case .ready(let fields): fields
    case .encoded(let bytes): HeaderFields(encoded: bytes.span)
    }
  }
}

/// Watches the body of a request while it is downloaded, to show the received part.
///
/// It is called on the fetcher's threads and must not block. Only bodies that are inspected are watched. One
/// whose request joins a download is told of the next piece, with all that came before. Nothing is promised: the
/// image may still be refused.
package protocol BodyWatcher: AnyObject, Sendable {
  /// Reports that a body begins, perhaps anew: earlier bytes are void. Not called for one that has
  /// begun when the request joins.
  func begin()

  /// Reports that the body has grown. The header has been read by then.
  /// - Parameters:
  ///   - body: The bytes that have come so far, from the first one on.
  ///   - facts: The facts in the header.
  func grew(_ body: ImageBody, _ facts: ImageFacts)

  /// Reports that the body has grown, and has a format of the program's own.
  func grew(_ body: ImageBody)
}

extension BodyWatcher {
  package func grew(_ body: ImageBody) {}
}

/// Takes the bytes of a body that is no image, but a list of images, as they come. Nothing of it is inspected or kept.
///
/// For requests with ``Verification/none`` and ``CachePolicy/off``. It is called on the fetcher's disk threads,
/// by one thread at a time.
package protocol BodyStream: BodyWatcher {
  /// Takes the next bytes after ``BodyWatcher/begin()``. An error ends the request with it.
  func take(_ piece: borrowing Span<UInt8>) throws(FetchError)

  /// True if the stream wants no more for now. Some pieces that are on their way are taken all the same.
  var isFull: Bool { get }
}

extension BodyStream {
  package func grew(_ body: ImageBody, _ facts: ImageFacts) {}
}
