/// Recognises a body by its first bytes: the image format, or what it is instead.
///
/// Fixed numbers of bytes are collected first, so that the result does not depend on the sizes of chunks: 12 for most
/// formats, 18 for BMP, and 96 for a HEIF file whose first brand names no format and for anything else.
struct FormatSniffer: Sendable {
  private static let imageHead = FormatSignature.Head.length
  /// A BMP's signature is two letters, so the length of its second header counts.
  private static let bitmapHead = 18
  private static let foreignHead = 96

  /// The collected bytes, with which the walk begins.
  private(set) var head = InlineArray<96, UInt8>(repeating: 0)
  private(set) var count = 0

  /// Takes the bytes that it needs from the front of `bytes`. Returns how many bytes it took and, if
  /// they suffice, the format.
  mutating func take(_ bytes: Span<UInt8>) throws(InspectionFailure) -> (taken: Int, format: ImageFormat?) {
    var at = 0
    while count < Self.foreignHead {
      let image = count < Self.imageHead ? Self.imageHead : Self.bitmapHead
      let wanted = count < Self.bitmapHead ? image : Self.foreignHead
      while count < wanted, at < bytes.count {
        head[count] = bytes[at]
        count += 1
        at += 1
      }
      guard count == wanted else { return (at, nil) }
      if wanted == Self.imageHead {
        if let format = try accepted() { return (at, format) }
      } else if wanted == Self.bitmapHead {
        if isBitmap { return (at, .bmp) }
      } else if let format = brands?.format {
        return (at, format)
      }
      if SVGWalk.mayBegin(all) { return (at, .svg) }
      if wanted == Self.foreignHead { throw ForeignBody.name(all) }
    }
    return (at, nil)
  }

  /// Judges a body that ended before it was recognised.
  func finish() -> InspectionFailure {
    if count == 0 { return .notImage(found: "empty") }
    if let format = begun() ?? brands?.format { return .truncated(format, at: Int64(count)) }
    return ForeignBody.name(all)
  }

  private var all: [UInt8] { (0..<count).map { head[$0] } }

  /// The brands of an ISO base media file, as far as its first box has come.
  private var brands: HEIFBrands? {
    let all = all
    guard all.count > 8, all[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    let length = all[..<4].reduce(0) { $0 << 8 | Int($1) }
    return HEIFBrands(all[8..<max(8, min(all.count, length))])
  }

  private var isBitmap: Bool {
    head[0] == UInt8(ascii: "B") && head[1] == UInt8(ascii: "M") && head[15] | head[16] | head[17] == 0
      && Bitmap.fieldLength(headerSize: Int(head[14])) != nil
  }

  private var start: FormatSignature.Head {
    var start = FormatSignature.Head()
    for place in 0..<8 { start.start = start.start << 8 | UInt64(head[place]) }
    for place in 8..<12 { start.rest = start.rest << 8 | UInt32(head[place]) }
    return start
  }

  /// The format with this signature. Throws if the signature is that of a format but damaged.
  private func accepted() throws(InspectionFailure) -> ImageFormat? {
    let start = start
    for (signature, format) in Self.signatures where signature.matches(start) { return format }
    for (signature, format, place, reason) in Self.damagedSignatures where signature.matches(start) {
      throw .damaged(format, at: place, reason: reason)
    }
    return nil
  }

  /// The format whose signature a body begins that is shorter than one.
  private func begun() -> ImageFormat? {
    guard count < Self.imageHead else {
      // A text that begins with these letters has no zeros where nothing is to stand.
      let isBitmap = head[0] == UInt8(ascii: "B") && head[1] == UInt8(ascii: "M")
      return isBitmap && (6..<10).allSatisfy { head[$0] == 0 } && count < Self.bitmapHead ? .bmp : nil
    }
    let start = start
    return Self.signatures.first { $0.0.matches(start, cutAt: count) }?.1
  }

  private static let signatures = ImageFormat.allCases.flatMap { format in
    format.traits.signatures.map { ($0, format) }
  }
  private static let damagedSignatures = ImageFormat.allCases.flatMap { format in
    format.traits.damagedSignatures.map { ($0.0, format, $0.at, $0.reason) }
  }
}
