import CImageShim

/// Encodes one image, row by row and picture by picture, into memory.
///
/// Wraps the C encoders, one for each format. Must be used by one thread at a time.
@safe
package final class ImageEncoder {
  /// The way in which pixels are encoded, and the metadata of the file.
  package struct Options: Sendable {
    /// 1 to 100.
    package var quality = 85
    /// The speed of AVIF, from 0 for the smallest file to 10 for the shortest time.
    package var speed = 6
    /// True if WebP keeps every pixel exactly.
    package var isLossless = false
    /// The number of times that an animation plays, 0 for endless, or nil for a still image.
    package var plays: Int?
    package var exif: [UInt8] = []
    package var profile: [UInt8] = []
    /// Taken by AVIF alone.
    package var xmp: [UInt8] = []

    package init() {}
  }

  package let layout: PixelLayout
  package let format: ImageFormat
  private let handle: OpaquePointer

  /// - Parameter layout: Must be one that the format can encode: see ``model(for:_:)`` and ``bits(for:_:)``.
  package init(_ format: ImageFormat, _ layout: PixelLayout, _ options: Options) throws(PixelFailure) {
    self.format = format
    self.layout = layout
    var trouble = imgfetch_trouble()
    let codec = format.traits.codec
    guard format.traits.substitute == nil else { throw .unsupported(format, reason: "it is not written") }
    // Proof: EXIF, profile and XMP are read while the encoder is opened; the handle is closed in deinit and
    // used by this object only.
    let opened = unsafe options.exif.withUnsafeBufferPointer { exif in
      unsafe options.profile.withUnsafeBufferPointer { profile in
        unsafe options.xmp.withUnsafeBufferPointer { xmp in
          var cOptions = unsafe imgfetch_encode_options(
            quality: UInt8(clamping: min(100, max(1, options.quality))),
            speed: UInt8(clamping: min(10, max(0, options.speed))), is_lossless: options.isLossless,
            is_animated: options.plays != nil, plays: Int32(clamping: options.plays ?? -1),
            exif: exif.isEmpty ? nil : exif.baseAddress, exif_length: exif.count,
            profile: profile.isEmpty ? nil : profile.baseAddress, profile_length: profile.count,
            xmp: xmp.isEmpty ? nil : xmp.baseAddress, xmp_length: xmp.count)
          return unsafe imgfetch_encoder_open(codec, layout.cValue, &cOptions, &trouble)
        }
      }
    }
    guard let opened = unsafe opened else { throw PixelFailure(trouble, format) }
    unsafe handle = opened
  }

  deinit { unsafe imgfetch_encoder_close(handle) }

  /// The model in which the format encodes pixels of `model`.
  package static func model(for format: ImageFormat, _ model: PixelLayout.Model) -> PixelLayout.Model {
    let model = model == .cmyk ? .rgb : model
    return switch format.traits.encodedPixels {
    case .any: model
    case .opaque: model.opaque
    case .colour: model.hasAlpha ? .rgba : .rgb
    case .rgba: .rgba
    }
  }

  /// The number of bits per sample that the format can encode.
  package static func bits(for format: ImageFormat, _ bits: Int) -> Int { format.traits.has16Bits ? bits : 8 }

  /// Encodes a picture: all rows of `source`, which must have the layout of this encoder.
  package func write(_ source: any RowSource, milliseconds: Int = 0) throws(PixelFailure) {
    precondition(source.layout == layout, "rows of another layout")
    var trouble = imgfetch_trouble()
    guard unsafe imgfetch_encoder_begin(handle, UInt32(clamping: milliseconds), &trouble) else {
      throw PixelFailure(trouble, format)
    }
    var row = [UInt8](repeating: 0, count: layout.rowBytes)
    for _ in 0..<layout.height {
      try source.read(into: &row)
      // Proof: one row of the layout is read.
      guard unsafe imgfetch_encoder_write(handle, row, &trouble) else { throw PixelFailure(trouble, format) }
    }
  }

  /// Ends the image and returns its bytes. Nothing may be written after that.
  package func finish() throws(PixelFailure) -> [UInt8] {
    var trouble = imgfetch_trouble()
    var length = 0
    guard let bytes = unsafe imgfetch_encoder_finish(handle, &length, &trouble) else {
      throw PixelFailure(trouble, format)
    }
    // Proof: the encoder owns as many bytes there until it is closed, and they are copied at once.
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: length))
  }
}

/// The image libraries that the program was built with.
package enum CodecVersions {
  /// Names and versions, as one line of text.
  package static var text: String {
    var bytes = [UInt8](repeating: 0, count: 256)
    // Proof: the text is written within the given size, and ends with a NUL.
    unsafe bytes.withUnsafeMutableBytes { room in
      guard let base = unsafe room.bindMemory(to: CChar.self).baseAddress else { return }
      unsafe imgfetch_codec_versions(base, room.count)
    }
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
