/// Inspects an image while its bytes arrive: recognises the format, walks the structure to the end mark, and
/// collects facts from headers.
///
/// A plain value of a few hundred bytes, which holds no more of the body than the current field. It takes chunks of any
/// size, and the result does not depend on where they are cut.
///
/// A failure is final: once one was thrown, every further call throws it again.
package struct Inspector: Sendable {
  private let limits: InspectionLimits
  private var walk = FormatWalk.sniffing(FormatSniffer())

  package init(limits: InspectionLimits = InspectionLimits()) { self.limits = limits }

  /// Takes the next bytes. Bytes after the end mark are counted and otherwise ignored.
  package mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    do {
      try walk.feed(bytes, limits: limits)
    } catch {
      walk = .failed(error, facts)
      throw error
    }
  }

  /// Ends the inspection: the facts about the image if it was complete. An image that only decoding could
  /// judge counts as incomplete.
  package mutating func finish() throws(InspectionFailure) -> ImageFacts {
    switch try verdict() {
    case .accepted(let facts): return facts
    case .doubtful(let facts, let failure):
      walk = .failed(failure, facts)
      throw failure
    }
  }

  /// Ends the inspection of a body whose end is certain. A missing end mark is then a flaw, if
  /// decoding finds every pixel.
  package mutating func verdict() throws(InspectionFailure) -> InspectionVerdict {
    let ending: WalkEnding
    do {
      ending = try walk.finish()
    } catch {
      walk = .failed(error, facts)
      throw error
    }
    guard var facts else { throw .notImage(found: "an empty body") }
    switch ending {
    case .complete: return .accepted(facts)
    case .doubtful(let failure): return .doubtful(facts, failure)
    case .withoutMark(let failure):
      facts.flaws.insert(.noEndMark)
      return .doubtful(facts, failure)
    }
  }

  /// The facts known so far: nil until format and size are known. Facts that come after the header (frames,
  /// orientation, trailing bytes) are complete only after `finish`. After a failure they remain as they were.
  package var facts: ImageFacts? { walk.facts }
}

/// A format of the program's own, as far as verifying an image goes.
protocol OwnFormat: Sendable {
  /// True if an image that begins with these bytes has this format.
  func recognises(_ beginning: [UInt8]) -> Bool

  /// Throws if the image is not whole, or has more pixels than that.
  func verify(_ image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure)

  /// The same pictures as a PNG, which transforms can read.
  func asPNG(_ image: [UInt8], maximumPixels: Int64) throws(OwnFormatFailure) -> [UInt8]
}

/// The reason why an image of the program's own format is not accepted.
struct OwnFormatFailure: Error {
  let reason: String
  var isTooLarge = false
}

/// Inspects a body that has a format of the library's, by its structure, or one of the program's own, which says
/// itself whether it is whole.
struct BodyInspector: Sendable {
  /// The number of bytes by which an own format is recognised.
  static let beginning = 64

  private var inspector: Inspector
  private let formats: [any OwnFormat]
  /// The first bytes, as long as they are too few for the own formats.
  private var held: [UInt8] = []
  private var isDecided: Bool
  /// The program's format that the body has.
  private(set) var own: (any OwnFormat)?

  /// - Parameter formats: The program's own. Without any, all goes straight to the inspector.
  init(limits: InspectionLimits, formats: [any OwnFormat]) {
    inspector = Inspector(limits: limits)
    self.formats = formats
    isDecided = formats.isEmpty
  }

  /// Takes the next bytes.
  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    if isDecided {
      if own == nil { try inspector.feed(bytes) }
      return
    }
    held.append(addingCapacity: bytes.count) { $0.append(copying: bytes) }
    if held.count >= Self.beginning { try decide() }
  }

  /// Ends the inspection. Nil means that the body is one for ``own``, which needs all of it.
  mutating func verdict() throws(InspectionFailure) -> InspectionVerdict? {
    if !isDecided { try decide() }
    return own == nil ? try inspector.verdict() : nil
  }

  /// The facts that are known by now about an image of the library's formats.
  var facts: ImageFacts? { inspector.facts }

  private mutating func decide() throws(InspectionFailure) {
    isDecided = true
    let bytes = held
    held = []
    let beginning = Array(bytes.prefix(Self.beginning))
    own = formats.first { $0.recognises(beginning) }
    if own == nil { try inspector.feed(bytes.span) }
  }
}

/// Recognises a body's format, or that of a body that is no image, by its first bytes.
///
/// It collects fixed numbers of bytes before it decides, so that the result does not depend on the sizes of chunks: 12
/// for most formats, 18 for BMP, and 96 for a HEIF file whose first brand names no format and for anything else.
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
    if count == 0 { return .notImage(found: "an empty body") }
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

/// The largest image that is accepted. Checked when the size is read, and again at each frame, before anything is
/// allocated for it.
package struct InspectionLimits: Sendable, Hashable {
  /// The pixels of the screen and of each frame; where pictures are decoded, those of all frames. The default is that
  /// of `--max-pixels`: 1 GiB when decoded with four bytes each.
  package var maxPixels: Int64

  package init(maxPixels: Int64 = 256 << 20) { self.maxPixels = maxPixels }

  /// Throws if the image is larger. The sizes are from a header and may be any number.
  func admit(width: Int, height: Int, frames: Int) throws(InspectionFailure) {
    let area = Int64(width).multipliedReportingOverflow(by: Int64(height))
    let all = area.partialValue.multipliedReportingOverflow(by: Int64(max(1, frames)))
    if area.overflow || all.overflow || all.partialValue > maxPixels {
      throw .tooManyPixels(width: width, height: height, frames: frames, limit: maxPixels)
    }
  }
}

/// The reason why bytes are not accepted as a complete image. `description` is a clause to follow a name and a
/// colon, and is safe to print.
package enum InspectionFailure: Error, Sendable, Hashable {
  /// The body is no image, but of this kind, or begins like this.
  case notImage(found: String)
  /// An image, document or video in a format that is not supported.
  case unsupported(name: String)
  /// The image ends before its end mark, after this many bytes.
  case truncated(ImageFormat, at: Int64)
  /// The structure of the image is invalid. The reason is a complete clause.
  case damaged(ImageFormat, at: Int64, reason: String)
  /// The image has more pixels than allowed, counted over all frames so far.
  case tooManyPixels(width: Int, height: Int, frames: Int, limit: Int64)
  /// The width or height of the image is 0.
  case noPixels(ImageFormat)
}

extension InspectionFailure: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notImage(let found):
      return "not an image but \(found)"
    case .unsupported(let name):
      return "\(name) is not supported; \(ImageFormat.namesInWords) are"
    case .truncated(let format, let place):
      return "truncated \(format.displayName): it breaks off after \(place) byte\(place == 1 ? "" : "s")"
    case .damaged(let format, let place, let reason):
      return "damaged \(format.displayName): \(reason) (at byte \(place))"
    case .tooManyPixels(let width, let height, let frames, let limit):
      let size = frames > 1 ? "\(width)x\(height) pixels in \(frames) frames" : "\(width)x\(height) pixels"
      return "\(size) are more than the limit of \(limit) pixels"
    case .noPixels(let format):
      return "\(format.displayName) of no pixels: its width or height is 0"
    }
  }
}

/// The fewest bytes that can encode a number of pixels. A file with less data was cut and patched up (an end mark
/// appended, a length corrected) or is a bomb. Both are found without decoding a pixel.
///
/// Each bound follows from the coding alone, so no valid file is below it.
enum MinimumSize {
  /// The fewest bytes of deflated rows. At best, Deflate encodes 258 bytes by one bit for the length and one for the
  /// distance: 1,032 bytes in one.
  static func deflated(width: Int, height: Int, bitsPerPixel: Int) -> Int64 {
    // Every row has a filter byte. An interlaced image has more rows, so the bound holds for it as well.
    let pixels = saturating(Int64(width), Int64(height))
    let (rows, overflow) = saturating(pixels / 8, Int64(bitsPerPixel)).addingReportingOverflow(Int64(height))
    return (overflow ? Int64.max : rows) / 1032
  }

  /// A Huffman code has at least one bit. A block of a sequential scan has one for its first coefficient and one for
  /// the end of the others.
  static func huffman(blocks: Int, codesPerBlock: Int) -> Int64 {
    saturating(Int64(blocks), Int64(codesPerBlock)) / 8
  }

  /// The n-th LZW code encodes at most n pixels, and never more than the table's 4,096 entries can chain up. Returns
  /// the number of pixels that `bytes` bytes of codes with at least `codeBits` bits can encode.
  static func pixelsInLZW(bytes: Int64, codeBits: Int) -> Int64 {
    let codes = saturating(bytes, 8) / Int64(max(1, codeBits))
    return codes < 4096 ? codes * (codes + 1) / 2 : saturating(codes, 4096)
  }

  private static func saturating(_ one: Int64, _ other: Int64) -> Int64 {
    let (product, overflow) = one.multipliedReportingOverflow(by: other)
    return overflow ? Int64.max : product
  }
}
