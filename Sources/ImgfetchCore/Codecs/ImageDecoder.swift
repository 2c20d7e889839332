import CImageShim
import Synchronization

/// Decodes one image, row by row and picture by picture.
///
/// Wraps the C decoders, one for each format. Rows come from the top down, as stored: without rotation, and with
/// colours of the file's profile. Pictures of an animation are composed. Must be used by one thread at a time.
@safe
package final class ImageDecoder {
  /// The layout of the rows. Smaller than in the facts where only a part of the full size was requested.
  package let layout: PixelLayout
  package let format: ImageFormat
  private let input: EncodedInput
  private let handle: OpaquePointer

  /// Reads the header.
  /// - Parameters:
  ///   - facts: The result of the inspection; its sizes must have been admitted.
  ///   - eighths: The fraction of the full size that is needed. JPEG and still WebP then decode fewer pixels.
  ///   - memory: The limit in bytes.
  ///   - keepsEighth: True if the picture at an eighth of its size is wanted as well; see ``eighth``.
  ///   - usesSmallJPEG: True if small pictures of sequential JPEGs are decoded by our own code
  ///     instead of the library's.
  package init(
    _ body: ImageBody, _ facts: ImageFacts, eighths: Int = 8, memory: Int64, keepsEighth: Bool = false,
    usesSmallJPEG: Bool = SmallJPEG.isOn
  ) throws(PixelFailure) {
    format = facts.format
    try DrawnContents.admit(body, format)
    input = try EncodedInput(body)
    var options = Self.options(facts, memory: memory)
    options.small_jpeg = usesSmallJPEG
    options.keeps_eighth = keepsEighth
    options.eighths = UInt8(clamping: min(8, max(1, eighths)))
    var trouble = imgfetch_trouble()
    // Proof: the input's bytes live as long as `input`, which this object owns. The handle is closed in
    // deinit and used here only.
    let codec = facts.format.traits.codec
    guard let opened = unsafe imgfetch_decoder_open(codec, input.cValue, &options, &trouble) else {
      throw PixelFailure(trouble, facts.format)
    }
    unsafe handle = opened
    layout = PixelLayout(unsafe imgfetch_decoder_layout(opened))
  }

  deinit { unsafe imgfetch_decoder_close(handle) }

  static func options(_ facts: ImageFacts, memory: Int64) -> imgfetch_decode_options {
    imgfetch_decode_options(
      frames: UInt32(clamping: facts.isComposed ? max(2, facts.frames) : facts.frames),
      width: UInt32(clamping: facts.width),
      height: UInt32(clamping: facts.height), eighths: 8, memory: UInt64(max(0, memory)),
      scans: PixelLimits.scans(pixels: Int64(facts.width) * Int64(facts.height)), metadata: PixelLimits.metadata,
      small_jpeg: false, keeps_eighth: false,
      lacks_end: facts.flaws.contains(.noEndMark) || facts.flaws.contains(.badEndMark),
      has_wrong_sums: facts.flaws.contains(.dataChecksum))
  }

  /// Bytes held for pixels, besides a few rows; known once the first picture has begun.
  package var held: Int64 { unsafe Int64(clamping: imgfetch_decoder_held(handle)) }

  /// The EXIF block, from its byte order mark on; empty where there is none.
  package var exif: [UInt8] { unsafe bytes(imgfetch_decoder_exif) }

  /// The colour profile; empty where there is none.
  package var profile: [UInt8] { unsafe bytes(imgfetch_decoder_profile) }

  private func bytes(_ get: (OpaquePointer, UnsafeMutablePointer<Int>) -> UnsafePointer<UInt8>?) -> [UInt8] {
    var length = 0
    guard let start = unsafe get(handle, &length) else { return [] }
    // Proof: the decoder owns as many bytes there until it is closed, and they are copied at once.
    return unsafe Array(UnsafeBufferPointer(start: start, count: length))
  }

  /// Begins the next picture and returns its duration in milliseconds, or nil where there is none left.
  package func next() throws(PixelFailure) -> Int? {
    var trouble = imgfetch_trouble()
    var milliseconds: UInt32 = 0
    switch unsafe imgfetch_decoder_next(handle, &milliseconds, &trouble) {
    case 1: return Int(milliseconds)
    case 0: return nil
    default: throw PixelFailure(trouble, format)
    }
  }

  /// Reads the next row of the picture. `row` must have room for it; bytes beyond it are not changed.
  package func read(into row: inout [UInt8]) throws(PixelFailure) {
    var trouble = imgfetch_trouble()
    precondition(row.count >= layout.rowBytes, "a row of this layout does not fit")
    // Proof: one row of the layout is written, for which there is room.
    if unsafe !imgfetch_decoder_read(handle, &row, &trouble) { throw PixelFailure(trouble, format) }
  }

  /// The picture at an eighth of its size, as decoding that alone would make it, or nil if it did not come for
  /// nothing, or rows are left.
  package var eighth: (any RowSource)? {
    var layout = imgfetch_layout()
    return unsafe imgfetch_decoder_eighth(handle, &layout) ? EighthRows(self, PixelLayout(layout)) : nil
  }

  /// Reads a row of ``eighth``. `row` must have room for it.
  fileprivate func readEighth(_ number: Int, into row: inout [UInt8]) {
    // Proof: one row of the layout is written, for which `EighthRows` has looked that there is room.
    unsafe imgfetch_decoder_eighth_row(handle, UInt32(clamping: number), &row)
  }

  /// Checks, after the last row, that the data ends as it should.
  package func finish() throws(PixelFailure) {
    var trouble = imgfetch_trouble()
    if unsafe !imgfetch_decoder_finish(handle, &trouble) { throw PixelFailure(trouble, format) }
  }
}

private final class EighthRows: RowSource {
  let layout: PixelLayout
  private let decoder: ImageDecoder
  private var next = 0

  init(_ decoder: ImageDecoder, _ layout: PixelLayout) {
    self.decoder = decoder
    self.layout = layout
  }

  func read(into row: inout [UInt8]) throws(PixelFailure) {
    precondition(row.count >= layout.rowBytes, "a row of this layout does not fit")
    decoder.readEighth(next, into: &row)
    next += 1
  }
}

extension ImageFormat {
  /// Loads the format's library, in a process that is about to give up the right to open files.
  func prepareDecoder() {
    var trouble = imgfetch_trouble()
    _ = unsafe imgfetch_decoder_prepare(traits.codec, &trouble)
  }
}

/// Chooses `CSmallJPEG` instead of libjpeg-turbo for small pictures of sequential JPEGs in this process.
///
/// Only the sandbox's helper turns it on, before it reads the first image: a flaw in that decoder is then as
/// harmless as one in a library.
package enum SmallJPEG {
  private static let isAllowed = Atomic(false)

  package static var isOn: Bool { isAllowed.load(ordering: .relaxed) }

  static func turnOn() { isAllowed.store(true, ordering: .relaxed) }
}

/// An encoded image as the decoders read it: a small one from memory, a large one from its file.
///
/// Owns the copy in memory, and keeps the file open. A stored body that was not verified yet is verified
/// before a pixel is decoded.
@safe
final class EncodedInput {
  /// The size up to which a file is read as a whole, which saves system calls; most images are smaller.
  private static let memoryLimit: Int64 = 4 << 20

  private let body: ImageBody
  private let copy: UnsafeMutableBufferPointer<UInt8>?

  init(_ body: ImageBody) throws(PixelFailure) {
    self.body = body
    let isSmall = body.count <= Self.memoryLimit
    if case .file = body.content, !isSmall {
      unsafe copy = nil
      if !body.isChecked { try Self.read(body) { _ in } }
      return
    }
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, Int(body.count)))
    unsafe copy = buffer
    unsafe buffer.initialize(repeating: 0)
    var at = 0
    try Self.read(body) { piece in
      // Proof: there is room for `body.count` bytes, and no more are written; this is the only place that writes them.
      let count = min(buffer.count - at, piece.count)
      unsafe piece.withUnsafeBufferPointer { bytes in
        guard count > 0, let from = bytes.baseAddress, let to = buffer.baseAddress else { return }
        unsafe (to + at).update(from: from, count: count)
      }
      at += count
    }
  }

  deinit { unsafe copy?.deallocate() }

  private static func read(_ body: ImageBody, _ take: (borrowing Span<UInt8>) -> Void) throws(PixelFailure) {
    do { try body.read { (piece) throws(SystemError) in take(piece) } } catch { throw PixelFailure(error) }
  }

  /// The input for the C interface. It must not outlive this object.
  var cValue: imgfetch_input {
    // Proof: the copy lives as long as this object.
    if let copy = unsafe copy {
      return unsafe imgfetch_input(
        bytes: UnsafePointer(copy.baseAddress), descriptor: -1, start: 0, length: UInt64(body.count))
    }
    guard case .file(let stored) = body.content else {
      return unsafe imgfetch_input(bytes: nil, descriptor: -1, start: 0, length: 0)
    }
    return unsafe imgfetch_input(
      bytes: nil, descriptor: stored.descriptor.file.raw, start: UInt64(max(0, stored.start)),
      length: UInt64(max(0, stored.length)))
  }
}
