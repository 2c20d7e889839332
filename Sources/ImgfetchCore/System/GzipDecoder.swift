import CZlib

/// Undoes gzip (RFC 1952), piece by piece and in bounded memory. Several compressed parts, one after another, are one
/// text. Bytes behind the end of the compressed data are skipped.
///
/// A reference with one owner: zlib keeps the address of its state.
@safe
package final class GzipDecoder {
  /// The data is not gzip, or damaged.
  package struct Damage: Error {}

  private enum Place {
    /// Within a compressed part.
    case inside
    /// Behind a part, where another one may begin with these bytes.
    case between(head: [UInt8])
    /// Behind the last part.
    case over
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private var input: [UInt8] = []
  /// The number of bytes of `input` that zlib has taken.
  private var taken = 0
  /// True if zlib has filled the last output, so that there may be more without further input.
  private var mayHaveMore = false
  private var place = Place.inside

  /// True if other bytes than zeros were behind the compressed data. Tapes and block devices fill their last block with
  /// zeros.
  package var hasRest: Bool { if case .between(let head) = place, !head.isEmpty { true } else { hasOther } }

  private var hasOther = false

  /// True if the end of a compressed member was reached, its checksum was right, and no other member has begun.
  package var isComplete: Bool { if case .inside = place { false } else { true } }

  /// The first bytes of each part.
  private static let magic: [UInt8] = [0x1F, 0x8B]

  /// The most bytes that ``next()`` returns.
  private static let pieceSize = 64 << 10

  /// The frame of the compressed data.
  package enum Frame {
    case gzip
    /// The frame of zlib (RFC 1950), which has one part.
    case zlib
  }

  private let frame: Frame

  /// Nil if there is no memory for it.
  package init?(_ frame: Frame = .gzip) {
    self.frame = frame
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // A window of 15 bits, and 16 for the header and the sum of gzip.
    let code = unsafe inflateInit2_(
      stream, frame == .gzip ? 15 + 16 : 15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
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
  package func add(_ piece: [UInt8]) {
    switch place {
    case .inside: (input, taken) = (piece, 0)
    case .between(let head):
      (input, taken) = (head + piece, 0)
      passEnd()
    case .over: noteRest(piece[...])
    }
  }

  private func noteRest(_ bytes: ArraySlice<UInt8>) { if !hasOther { hasOther = bytes.contains { $0 != 0 } } }

  /// Goes on behind the end of a part. The bytes stay where they are: a piece may have thousands of empty parts.
  private func passEnd() {
    let rest = input[taken...].prefix(Self.magic.count)
    if frame == .gzip, rest.elementsEqual(Self.magic) {
      _ = unsafe inflateReset(stream)
      place = .inside
    } else if frame == .gzip, Self.magic.starts(with: rest) {
      place = .between(head: Array(rest))
    } else {
      place = .over
      noteRest(input[taken...])
    }
  }

  /// Returns the next bytes, at most 64 KiB, or nil if the next piece is needed, or there is nothing more.
  package func next() throws(Damage) -> [UInt8]? {
    while case .inside = place, mayHaveMore || taken < input.count {
      let (bytes, isEnd) = try inflatePiece()
      mayHaveMore = !isEnd && bytes.count == Self.pieceSize
      if isEnd { passEnd() }
      if !bytes.isEmpty { return bytes }
      if !isEnd { return nil }
    }
    return nil
  }

  /// The next bytes of the current part, and whether its end was reached.
  private func inflatePiece() throws(Damage) -> (bytes: [UInt8], isEnd: Bool) {
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
    switch code {
    case Z_STREAM_END: return (output, true)
    // The latter says that it could do nothing without more input.
    case Z_OK, Z_BUF_ERROR: return (output, false)
    default: throw Damage()
    }
  }
}
