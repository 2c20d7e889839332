import CImageShim

/// How the rows of a decoded image are laid out: samples interleaved, colours not multiplied with alpha, 8 bits each or
/// 16 in the machine's byte order.
package struct PixelLayout: Sendable, Hashable {
  /// What a pixel consists of.
  package enum Model: UInt8, CaseIterable, Sendable {
    case grey = 1
    case greyAlpha = 2
    case rgb = 3
    case rgba = 4
    /// Ink, of which 0 is none.
    case cmyk = 5

    package var samples: Int { self == .cmyk ? 4 : Int(rawValue) }
    package var hasAlpha: Bool { self == .greyAlpha || self == .rgba }
    package var isGrey: Bool { self == .grey || self == .greyAlpha }

    /// The same without alpha.
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
  package var bits: Int

  package init(width: Int, height: Int, model: Model, bits: Int = 8) {
    self.width = width
    self.height = height
    self.model = model
    self.bits = bits
  }

  package var bytesPerPixel: Int { model.samples * (bits / 8) }
  package var rowBytes: Int { width * bytesPerPixel }
  /// All rows. Sides are below 2^31 and a pixel has 8 bytes at most, so that this cannot overflow.
  package var bytes: Int { rowBytes * height }
}

extension PixelLayout {
  init(_ layout: imgfetch_layout) {
    self.init(
      width: Int(layout.width), height: Int(layout.height), model: Model(rawValue: layout.model) ?? .rgba,
      bits: Int(layout.bits))
  }

  var seam: imgfetch_layout {
    imgfetch_layout(
      width: UInt32(clamping: width), height: UInt32(clamping: height), model: model.rawValue,
      bits: UInt8(clamping: bits))
  }
}
