import Testing
import TestSupport

@testable import ImgfetchCore

/// Computed rows, without a file.
private final class ComputedRows: RowSource {
  let layout: PixelLayout
  private let sample: (_ x: Int, _ y: Int, _ channel: Int) -> Int
  private var y = 0

  init(_ layout: PixelLayout, _ sample: @escaping (_ x: Int, _ y: Int, _ channel: Int) -> Int) {
    self.layout = layout
    self.sample = sample
  }

  func read(into row: inout [UInt8]) {
    var place = 0
    for x in 0..<layout.width {
      for channel in 0..<layout.model.samples {
        let value = sample(x, y, channel)
        row[place] = UInt8(value & 255)
        if layout.bits == 16 { row[place + 1] = UInt8(value >> 8) }
        place += layout.bits / 8
      }
    }
    y += 1
  }
}

private func scaled(_ rows: any RowSource, to width: Int, _ height: Int) throws -> Picture {
  let region = PixelRegion(PixelSize(rows.layout.width, rows.layout.height))
  let made = try ResampledRows.make(rows, Scaling(rows.layout, region, to: PixelSize(width, height)), .png)
  var picture = Picture(layout: made.layout, pixels: [])
  var row = [UInt8](repeating: 0, count: made.layout.rowBytes)
  for _ in 0..<height {
    try made.read(into: &row)
    picture.pixels += row
  }
  return picture
}

@Suite("Pictures are scaled")
struct ResampledRowsTests {
  @Test(arguments: PixelLayout.Model.allCases.filter { $0 != .cmyk }, [8, 16])
  func anEvenColourStaysAsItIs(model: PixelLayout.Model, bits: Int) throws {
    let most = bits == 8 ? 255 : 65_535
    for (from, to) in [((1, 1), (7, 5)), ((300, 200), (1, 1)), ((31, 17), (16, 40)), ((64, 64), (65, 63))] {
      let layout = PixelLayout(width: from.0, height: from.1, model: model, bits: bits)
      let colour = (0..<model.samples).map { model.hasAlpha && $0 == model.samples - 1 ? most : most / (2 + $0) }
      let picture = try scaled(ComputedRows(layout) { _, _, channel in colour[channel] }, to: to.0, to.1)
      #expect(picture.samples.count == to.0 * to.1)
      #expect(picture.samples.allSatisfy { zip($0, colour).allSatisfy { abs($0 - $1) <= 1 } }, "\(model) \(from) \(to)")
    }
  }

  @Test("Tables that were made for a picture serve the next only if it has the same shape")
  func tables() throws {
    typealias Shape = (width: Int, height: Int, model: PixelLayout.Model, bits: Int, to: (Int, Int))
    let shapes: [Shape] = [
      (40, 30, .rgb, 8, (16, 12)), (41, 30, .rgb, 8, (16, 12)), (40, 31, .rgb, 8, (16, 12)),
      (40, 30, .rgba, 8, (16, 12)),
      (40, 30, .rgb, 16, (16, 12)), (40, 30, .rgb, 8, (17, 12)), (40, 30, .rgb, 8, (16, 13)),
      (40, 30, .grey, 8, (16, 12)),
    ]
    func made(_ shape: Shape) throws -> Picture {
      let layout = PixelLayout(width: shape.width, height: shape.height, model: shape.model, bits: shape.bits)
      return try scaled(ComputedRows(layout) { ($0 * 7 + $1 * 13 + $2 * 31) % 256 }, to: shape.to.0, shape.to.1)
    }
    // Behind each other one, and behind itself.
    for shape in shapes {
      let expected = try made(shape)
      for other in shapes {
        _ = try made(other)
        #expect(try made(shape) == expected, "\(shape) behind \(other)")
        #expect(try made(shape) == expected, "\(shape) behind itself")
      }
    }
  }

  /// The colour of transparent pixels is invisible.
  @Test func transparentPixelsDoNotBleed() throws {
    let layout = PixelLayout(width: 64, height: 64, model: .rgba)
    let halves = ComputedRows(layout) { x, _, channel in
      x < 32 ? [255, 255, 255, 255][channel] : [255, 0, 0, 0][channel]
    }
    let picture = try scaled(halves, to: 11, 11)
    for pixel in picture.samples where pixel[3] > 8 { #expect(pixel[1] >= 250 && pixel[2] >= 250, "\(pixel)") }
    #expect(picture[0, 5][3] == 255)
    #expect(picture[10, 5][3] <= 8)
  }

  /// Large enough to be scaled in several bands: a gradient shows any seam.
  @Test func bandsHaveNoSeams() throws {
    let layout = PixelLayout(width: 3000, height: 1200, model: .grey, bits: 16)
    let slope = ComputedRows(PixelLayout(width: 3000, height: 2400, model: .grey, bits: 16)) { _, y, _ in y * 25 }
    let picture = try scaled(slope, to: 3, 600)
    #expect(layout.width == slope.layout.width)
    for y in 4..<596 {
      let expected = Double(y) * 100 + 37.5
      #expect(abs(Double(picture[1, y][0]) - expected) < 3, "row \(y)")
    }
  }

  @Test func detailIsAveragedAndNotSampled() throws {
    let layout = PixelLayout(width: 400, height: 400, model: .grey)
    let picture = try scaled(ComputedRows(layout) { x, y, _ in (x + y) % 2 * 255 }, to: 40, 40)
    #expect(picture.samples.allSatisfy { abs($0[0] - 128) < 6 })
  }

  /// Very much smaller, so that cells are averaged first.
  @Test(arguments: PixelLayout.Model.allCases.filter { $0 != .cmyk }, [8, 16])
  func aSlopeStaysASlope(model: PixelLayout.Model, bits: Int) throws {
    let most = bits == 8 ? 255 : 65_535
    let layout = PixelLayout(width: 3001, height: 701, model: model, bits: bits)
    let rows = ComputedRows(layout) { x, y, channel in
      model.hasAlpha && channel == model.samples - 1 ? most : (x * most / 3000 + y * most / 700) / 2
    }
    let picture = try scaled(rows, to: 20, 10)
    for y in 1..<9 {
      for x in 1..<19 {
        let expected = (Double(x) + 0.5) / 20 * Double(most) / 2 + (Double(y) + 0.5) / 10 * Double(most) / 2
        #expect(abs(Double(picture[x, y][0]) - expected) < Double(most) / 200 + 1, "\(x) \(y) \(picture[x, y])")
        if model.hasAlpha { #expect(abs(picture[x, y][model.samples - 1] - most) <= 1) }
      }
    }
  }

  @Test func transparentPixelsAreNotAveraged() throws {
    let layout = PixelLayout(width: 640, height: 640, model: .rgba)
    // Every second pixel is red and transparent.
    let rows = ComputedRows(layout) { x, y, channel in (x + y) % 2 == 0 ? 255 : [255, 0, 0, 0][channel] }
    for pixel in try scaled(rows, to: 4, 4).samples {
      #expect(pixel[1] >= 254 && pixel[2] >= 254 && abs(pixel[3] - 128) <= 2, "\(pixel)")
    }
  }
}
