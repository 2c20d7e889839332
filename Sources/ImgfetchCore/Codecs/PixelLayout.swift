import CImageShim

/// The layout of a decoded image's rows: interleaved samples, alpha not premultiplied, with 8 bits each or 16 in
/// the machine's byte order.
package struct PixelLayout: Sendable, Hashable {
  /// The samples of a pixel.
  package enum Model: UInt8, CaseIterable, Sendable {
    case grey = 1
    case greyAlpha = 2
    case rgb = 3
    case rgba = 4
    /// Ink, with 0 for none.
    case cmyk = 5

    package var samples: Int { self == .cmyk ? 4 : Int(rawValue) }
    package var hasAlpha: Bool { self == .greyAlpha || self == .rgba }
    package var isGrey: Bool { self == .grey || self == .greyAlpha }

    /// The model without alpha.
    package var opaque: Model {
      switch self {
      case .greyAlpha: .grey
      case .rgba: .rgb
      default: self
      }
    }
  }

  package var width: Int
  package var height: Int
  package var model: Model
  package var bits = 8

  var size: PixelSize { PixelSize(width, height) }
  package var bytesPerPixel: Int { model.samples * (bits / 8) }
  package var rowBytes: Int { width * bytesPerPixel }
  /// The size of all rows. Sides are below 2^31 and a pixel has at most 8 bytes, so this cannot overflow.
  package var bytes: Int { rowBytes * height }

  /// The same for pixels of another number or kind.
  func with(_ size: PixelSize? = nil, model: Model? = nil) -> PixelLayout {
    PixelLayout(width: size?.width ?? width, height: size?.height ?? height, model: model ?? self.model, bits: bits)
  }
}

extension PixelLayout {
  init(_ layout: imgfetch_layout) {
    self.init(
      width: Int(layout.width), height: Int(layout.height), model: Model(rawValue: layout.model) ?? .rgba,
      bits: Int(layout.bits))
  }

  var cValue: imgfetch_layout {
    imgfetch_layout(
      width: UInt32(clamping: width), height: UInt32(clamping: height), model: model.rawValue,
      bits: UInt8(clamping: bits))
  }
}
