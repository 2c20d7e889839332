import CImageShim

/// Decodes an image while its bytes come: what there is of a JPEG, PNG or WebP, and of a GIF's first picture.
///
/// Wraps the C decoders, one for each format. Must be used by one thread at a time.
@safe
final class ComingDecoder {
  private let format: ImageFormat
  private let handle: OpaquePointer

  /// - Parameters:
  ///   - facts: The facts in the image's header.
  ///   - eighths: The fraction of the full size that is needed.
  ///   - memory: The limit in bytes, for the encoded image and for its pixels each.
  init(_ facts: ImageFacts, eighths: Int, memory: Int64) throws(PixelFailure) {
    format = facts.format
    var options = ImageDecoder.options(facts, memory: memory)
    options.eighths = UInt8(clamping: min(8, max(1, eighths)))
    var trouble = imgfetch_trouble()
    // Proof: the handle is closed in deinit and used here only.
    guard let opened = unsafe imgfetch_coming_open(format.traits.codec, &options, &trouble) else {
      throw PixelFailure(trouble, format)
    }
    unsafe handle = opened
  }

  deinit { unsafe imgfetch_coming_close(handle) }

  /// Takes the next bytes.
  func feed(_ bytes: ArraySlice<UInt8>) throws(PixelFailure) -> ComingProgress {
    var trouble = imgfetch_trouble()
    var state = imgfetch_coming_state()
    // Proof: the bytes are copied during the call.
    let isFine = unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return true }
      return unsafe imgfetch_coming_feed(handle, base, bytes.count, &state, &trouble)
    }
    if !isFine { throw PixelFailure(trouble, format) }
    return ComingProgress(pass: Int(state.pass), rows: Int(state.rows), height: Int(state.height))
  }

  /// The colour profile; empty where there is none.
  var profile: [UInt8] {
    var length = 0
    guard let start = unsafe imgfetch_coming_profile(handle, &length) else { return [] }
    // Proof: the decoder owns as many bytes there until it is closed, and they are copied at once.
    return unsafe Array(UnsafeBufferPointer(start: start, count: length))
  }

  /// The rows so far, transparent where nothing has come. They must be read before more is fed.
  func look() throws(PixelFailure) -> any RowSource {
    var trouble = imgfetch_trouble()
    var layout = imgfetch_layout()
    var pixels: UnsafePointer<UInt8>?
    guard unsafe imgfetch_coming_look(handle, &layout, &pixels, &trouble), let pixels = unsafe pixels else {
      throw PixelFailure(trouble, format)
    }
    return unsafe ComingRows(self, PixelLayout(layout), pixels)
  }

  /// The rows of one look.
  @safe
  private final class ComingRows: RowSource {
    let layout: PixelLayout
    private let pixels: UnsafePointer<UInt8>
    /// Keeps the pixels.
    private let decoder: ComingDecoder
    private var given = 0

    init(_ decoder: ComingDecoder, _ layout: PixelLayout, _ pixels: UnsafePointer<UInt8>) {
      self.decoder = decoder
      self.layout = layout
      unsafe self.pixels = pixels
    }

    func read(into row: inout [UInt8]) throws(PixelFailure) {
      precondition(given < layout.height && row.count >= layout.rowBytes, "there is no such row, or no room for it")
      // Proof: the decoder has all rows of the layout there, and there is room for one.
      unsafe row.withUnsafeMutableBufferPointer { to in
        unsafe to.baseAddress?.update(from: pixels + given * layout.rowBytes, count: layout.rowBytes)
      }
      given += 1
    }
  }
}
