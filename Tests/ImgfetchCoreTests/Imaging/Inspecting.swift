import ImgfetchCore
import TestSupport

/// Inspects these bytes, whole or in chunks of `chunk`.
func inspected(
  _ bytes: [UInt8], chunk: Int? = nil, maxPixels: Int64 = 1 << 28
) -> Result<ImageFacts, InspectionFailure> {
  let size = max(1, chunk ?? bytes.count)
  let cuts = Array(stride(from: size, to: bytes.count, by: size))
  return inspected(bytes, cutAt: cuts, maxPixels: maxPixels)
}

/// Inspects these bytes in pieces that end at the given places.
func inspected(
  _ bytes: [UInt8], cutAt cuts: [Int], maxPixels: Int64 = 1 << 28
) -> Result<ImageFacts, InspectionFailure> {
  var inspector = Inspector(limits: InspectionLimits(maxPixels: maxPixels))
  do throws(InspectionFailure) {
    var start = 0
    for end in cuts + [bytes.count] {
      try inspector.feed(bytes.span.extracting(start..<end))
      start = end
    }
    return .success(try inspector.finish())
  } catch {
    return .failure(error)
  }
}

/// The reason why these bytes are rejected, or nil if they are accepted.
func refusal(_ bytes: [UInt8], maxPixels: Int64 = 1 << 28) -> InspectionFailure? {
  switch inspected(bytes, maxPixels: maxPixels) {
  case .success: nil
  case .failure(let failure): failure
  }
}

/// The reason why an inspector rejects these bytes while more may follow.
func refusal(_ bytes: [UInt8], feeding inspector: inout Inspector) -> InspectionFailure? {
  do throws(InspectionFailure) {
    try inspector.feed(bytes.span)
    return nil
  } catch {
    return error
  }
}

/// The damage that is reported for these bytes, or nil if there is none.
func damage(_ bytes: [UInt8]) -> String? {
  if case .damaged(_, _, let reason) = refusal(bytes) { return reason }
  return nil
}

/// Valid images of every kind that the walks distinguish, small enough to try each of their bytes.
let validImages: [(name: String, bytes: [UInt8])] = [
  ("JPEG", TestImages.jpeg(width: 17, height: 9)),
  ("grey JPEG", TestImages.jpeg(width: 8, height: 8) { $0.components = 1 }),
  ("CMYK JPEG", TestImages.jpeg(width: 9, height: 9) { $0.components = 4 }),
  ("progressive JPEG", TestImages.progressiveJPEG(width: 17, height: 9)),
  (
    "JPEG with all there is",
    TestImages.jpeg(width: 30, height: 20) {
      $0.orientation = 6
      $0.restartInterval = 2
      $0.colourProfile = true
      $0.thumbnail = TestImages.jpeg(width: 8, height: 8)
      $0.detail = 40
    }
  ),
  ("PNG", TestImages.png(width: 9, height: 5)),
  (
    "palette PNG",
    TestImages.png(width: 9, height: 5) {
      $0.colourType = 3
      $0.depth = 4
      $0.transparency = true
      $0.orientation = 3
      $0.colourProfile = true
      $0.dataChunk = 7
    }
  ),
  ("APNG", TestImages.apng(width: 5, height: 4)),
  ("GIF", TestImages.gif(width: 9, height: 7)),
  (
    "animated GIF",
    TestImages.gif(width: 9, height: 7, frames: 3) {
      $0.transparent = true
      $0.localColours = true
      $0.comment = "made for a test"
    }
  ),
  ("lossless WebP", TestImages.webp(width: 5, height: 7)),
  ("lossy WebP", TestImages.plainLossyWebP),
  (
    "extended WebP",
    TestImages.webp(width: 5, height: 7) {
      $0.alpha = true
      $0.orientation = 8
      $0.colourProfile = true
    }
  ),
  ("animated WebP", TestImages.animatedWebP(width: 4, height: 3)),
  ("BMP", TestImages.bmp(width: 9, height: 5)),
  ("palette BMP", TestImages.bmp(width: 9, height: 5) { $0.bits = 4 }),
  ("run-length BMP", TestImages.bmp(width: 9, height: 5) { ($0.bits, $0.coding) = (8, 1) }),
  ("ICO", TestImages.ico([TestImages.iconBitmap(width: 8, height: 8), TestImages.png(width: 9, height: 5)])),
]

/// The images of formats that are walked, and not decoded.
let keptImages: [(name: String, bytes: [UInt8])] = [
  ("AVIF", TestImages.heif { $0.alpha = true }),
  ("AVIF of tiles", TestImages.heif(width: 40, height: 30) { $0.tiles = (2, 2) }),
  ("animated AVIF", TestImages.heif { ($0.brand, $0.frames, $0.plays) = ("avis", 3, 2) }),
  ("HEIC", TestImages.heif { ($0.brand, $0.coding) = ("heic", "hvc1") }),
  ("TIFF", TestImages.tiff()),
  ("TIFF of tiles and pages", TestImages.tiff { ($0.pages, $0.tile, $0.isBigEndian) = (2, 16, true) }),
  (
    "SVG",
    Array("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='5'><g><!-- a --><path d='M0 0'/></g></svg>".utf8)
  ),
]
