import Testing
import TestSupport

@testable import ImgfetchCore

/// A decoded picture for comparison: all its rows.
struct Picture: Equatable {
  var layout: PixelLayout
  var pixels: [UInt8]

  /// The samples of one pixel.
  subscript(x: Int, y: Int) -> [Int] {
    let start = y * layout.rowBytes + x * layout.bytesPerPixel
    let bytes = pixels[start..<start + layout.bytesPerPixel]
    guard layout.bits == 16 else { return bytes.map(Int.init) }
    return stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
  }

  /// All pixels' samples, row by row.
  var samples: [[Int]] { (0..<layout.height).flatMap { y in (0..<layout.width).map { x in self[x, y] } } }
}

func body(_ bytes: [UInt8]) -> ImageBody { ImageBody(.bytes(bytes)) }

/// The same bytes in a file.
func fileBody(_ bytes: [UInt8]) throws -> ImageBody {
  let file = SharedDescriptor(try TemporaryFile.anonymous(in: "/tmp"))
  try file.file.write(bytes.span, at: 0)
  return ImageBody(.file(.init(descriptor: file, length: Int64(bytes.count), expectedHash: nil)))
}

/// All pictures of an image, each with its duration.
func decoded(
  _ body: ImageBody, _ facts: ImageFacts, eighths: Int = 8, memory: Int64 = 64 << 20, usesSmallJPEG: Bool = false
) throws -> [(picture: Picture, milliseconds: Int)] {
  let decoder = try ImageDecoder(body, facts, eighths: eighths, memory: memory, usesSmallJPEG: usesSmallJPEG)
  var pictures: [(Picture, Int)] = []
  var row = [UInt8](repeating: 0, count: decoder.layout.rowBytes)
  while let milliseconds = try decoder.next() {
    var pixels: [UInt8] = []
    for _ in 0..<decoder.layout.height {
      try decoder.read(into: &row)
      pixels += row
    }
    pictures.append((Picture(layout: decoder.layout, pixels: pixels), milliseconds))
  }
  try decoder.finish()
  return pictures
}

func decoded(_ bytes: [UInt8]) throws -> [(picture: Picture, milliseconds: Int)] {
  try decoded(body(bytes), inspected(bytes).get())
}
