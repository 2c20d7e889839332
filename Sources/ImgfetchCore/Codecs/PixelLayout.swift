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

  package var bytesPerPixel: Int { model.samples * (bits / 8) }
  package var rowBytes: Int { width * bytesPerPixel }
  /// The size of all rows. Sides are below 2^31 and a pixel has at most 8 bytes, so this cannot overflow.
  package var bytes: Int { rowBytes * height }
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

/// Converts rows to another layout of the same width: adds or removes alpha, converts ink or grey to
/// colour, and 16 bits to 8.
package struct RowConverter: Sendable {
  package let from: PixelLayout
  package let to: PixelLayout
  /// The colour behind transparent pixels where alpha is removed.
  private let background: [3 of UInt8]

  /// - Parameter bits: Nil to keep the number of bits. 8 bits cannot become 16.
  package init(
    from: PixelLayout, to model: PixelLayout.Model, bits: Int? = nil, background: [3 of UInt8] = [255, 255, 255]
  ) {
    self.from = from
    to = PixelLayout(width: from.width, height: from.height, model: model, bits: min(from.bits, bits ?? from.bits))
    self.background = background
  }

  package var isIdentity: Bool { from == to }

  /// The bytes of an intermediate row, whose samples are narrowed after the model was changed.
  private var widest: Int { max(to.rowBytes, to.width * to.model.samples * (from.bits / 8)) }

  package func convert(_ row: [UInt8], into converted: inout [UInt8]) {
    precondition(row.count >= from.rowBytes, "not a row of this layout")
    if converted.count < widest { converted += [UInt8](repeating: 0, count: widest - converted.count) }
    // Proof: `row` has the bytes of its layout, and `wide` has room for the wider samples; both pointers
    // are used inside the closures only. The second step reads each sample before it writes a narrower
    // one at or before its place.
    unsafe row.withUnsafeBufferPointer { source in
      unsafe converted.withUnsafeMutableBufferPointer { target in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        unsafe background.span.withUnsafeBufferPointer {
          guard let colour = $0.baseAddress else { return }
          unsafe imgfetch_convert_row(
            source, from.model.rawValue, target, to.model.rawValue, UInt8(clamping: from.bits), from.width, colour)
        }
        if to.bits < from.bits { unsafe imgfetch_narrow_row(target, target, to.width * to.model.samples) }
      }
    }
    if converted.count > to.rowBytes { converted.removeLast(converted.count - to.rowBytes) }
  }
}
