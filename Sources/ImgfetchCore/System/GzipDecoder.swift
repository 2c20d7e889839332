import CZlib

/// Undoes gzip (RFC 1952), piece by piece and in bounded memory. Bytes behind the end of the
/// compressed data are skipped.
///
/// A reference with one owner: zlib keeps the address of its state.
@safe
package final class GzipDecoder {
  /// The data is not gzip, or damaged.
  package struct Damage: Error {}

  private let stream: UnsafeMutablePointer<z_stream>
  private var input: [UInt8] = []
  /// The number of bytes of `input` that zlib has taken.
  private var taken = 0
  /// True if zlib has filled the last output, so that there may be more without further input.
  private var mayHaveMore = false
  /// True if the end of the compressed data was reached, with its sum right.
  package private(set) var isComplete = false

  /// The most bytes that ``next()`` returns.
  private static let pieceSize = 64 << 10

  /// Nil if there is no memory for it.
  package init?() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // A window of 15 bits, and 16 for the header and the sum of gzip.
    let code = unsafe inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    if code != Z_OK {
      unsafe stream.deallocate()
      return nil
    }
  }

  deinit {
    _ = unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Adds the next compressed piece. ``next()`` must have returned nil since the one before.
  package func add(_ piece: [UInt8]) { (input, taken) = (piece, 0) }

  /// The bytes that follow the end of the compressed data.
  package var rest: ArraySlice<UInt8> { isComplete ? input[taken...] : [] }

  /// Begins anew, for the next of several compressed parts that follow one another.
  package func restart() {
    _ = unsafe inflateReset(stream)
    (input, taken, mayHaveMore, isComplete) = ([], 0, false, false)
  }

  /// Returns the next bytes, at most 64 KiB, or nil if the next piece is needed, or there is nothing more.
  package func next() throws(Damage) -> [UInt8]? {
    guard !isComplete, mayHaveMore || taken < input.count else { return nil }
    var code = Z_OK
    // Proof: zlib reads within the input and writes within the capacity, and keeps neither address: both
    // are set before each call.
    let output = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { room, count in
      code = unsafe input.withUnsafeBufferPointer { bytes in
        unsafe stream.pointee.next_in = bytes.baseAddress.map { unsafe UnsafeMutablePointer(mutating: $0 + taken) }
        unsafe stream.pointee.avail_in = UInt32(bytes.count - taken)
        unsafe stream.pointee.next_out = room.baseAddress
        unsafe stream.pointee.avail_out = UInt32(Self.pieceSize)
        let code = unsafe inflate(stream, Z_NO_FLUSH)
        taken = unsafe bytes.count - Int(stream.pointee.avail_in)
        return code
      }
      count = unsafe Self.pieceSize - Int(stream.pointee.avail_out)
    }
    mayHaveMore = output.count == Self.pieceSize
    switch code {
    case Z_STREAM_END: isComplete = true
    // The latter says that it could do nothing without more input.
    case Z_OK, Z_BUF_ERROR: break
    default: throw Damage()
    }
    return output.isEmpty ? nil : output
  }
}
