import Testing

@testable import ImgfetchCore

@Suite("Sizes, crops and rotations are planned before a pixel is decoded")
struct GeometryTests {
  private func size(_ target: Resize.Target, _ fit: Resize.Fit, of size: PixelSize) -> PixelSize {
    Resize(target, fit: fit).scaled(size)
  }

  @Test func aPictureFitsABoxAsRequested() {
    let photo = PixelSize(4000, 3000)
    #expect(size(.box(PixelSize(256, 256)), .inside, of: photo) == PixelSize(256, 192))
    #expect(size(.box(PixelSize(256, 256)), .cover, of: photo) == PixelSize(341, 256))
    #expect(size(.box(PixelSize(256, 256)), .fill, of: photo) == PixelSize(256, 256))
    #expect(size(.box(PixelSize(256, 256)), .down, of: photo) == PixelSize(256, 192))
    let icon = PixelSize(16, 8)
    #expect(size(.box(PixelSize(256, 256)), .inside, of: icon) == PixelSize(256, 128))
    #expect(size(.box(PixelSize(256, 256)), .down, of: icon) == icon)
    #expect(Resize(.box(PixelSize(256, 256)), fit: .cover).crop(PixelSize(341, 256)) == Crop(PixelSize(256, 256)))
    #expect(Resize(.box(PixelSize(256, 256)), fit: .inside).crop(PixelSize(256, 192)) == nil)
  }

  @Test func oneSideOrAPercentageIsEnough() {
    let photo = PixelSize(4000, 3000)
    #expect(size(.width(1000), .inside, of: photo) == PixelSize(1000, 750))
    #expect(size(.height(1000), .inside, of: photo) == PixelSize(1333, 1000))
    #expect(size(.percent(50), .inside, of: photo) == PixelSize(2000, 1500))
    #expect(size(.percent(200), .down, of: photo) == PixelSize(8000, 6000))
    #expect(size(.width(8000), .down, of: photo) == photo)
  }

  @Test func eachSideKeepsAPixel() {
    #expect(size(.box(PixelSize(10, 10)), .inside, of: PixelSize(10_000, 2)) == PixelSize(10, 1))
    #expect(size(.percent(0.1), .inside, of: PixelSize(3, 3)) == PixelSize(1, 1))
  }

  @Test func aCropIsFromTheMiddleOrFromItsCorner() {
    let whole = PixelSize(100, 60)
    #expect(Crop(PixelSize(40, 20)).part(of: whole) == PixelRect(x: 30, y: 20, width: 40, height: 20))
    #expect(Crop(PixelSize(40, 20), x: 5, y: 0).part(of: whole) == PixelRect(x: 5, y: 0, width: 40, height: 20))
    #expect(Crop(PixelSize(40, 20), x: 90, y: 55).part(of: whole) == PixelRect(x: 90, y: 55, width: 10, height: 5))
    #expect(Crop(PixelSize(400, 20)).part(of: whole) == PixelRect(x: 0, y: 20, width: 100, height: 20))
    #expect(Crop(PixelSize(40, 20), x: 100, y: 0).part(of: whole) == nil)
  }

  @Test("Numbers that no picture has end no program", arguments: [Int.min, -1, .max])
  func extremes(number: Int) throws {
    let whole = PixelSize(100, 60)
    #expect(Crop(PixelSize(40, 20), x: number, y: 0).part(of: whole) == nil)
    #expect(Crop(PixelSize(40, 20), x: 0, y: number).part(of: whole) == nil)
    let part = Crop(PixelSize(number, number)).part(of: whole)
    #expect(part == (number > 0 ? PixelRect(x: 0, y: 0, width: 100, height: 60) : nil))
    let padded = ImageTransform(steps: [.resize(Resize(.box(PixelSize(number, number)), pads: true))])
    let picture = try #require(PixelBuffer(width: 2, height: 1, bytes: [UInt8](repeating: 255, count: 8)))
    let facts = try Inspector.facts(of: picture.encoded(as: .png), limits: InspectionLimits())
    #expect((try? padded.plan(for: facts, PixelLimits())) == nil || number < 0)
    #expect((try? picture.resized(Resize(.width(number)))) == nil || number < 0)
  }

  @Test("A long picture is cut before it is scaled to cover a box")
  func longPicture() throws {
    let line = try #require(PixelBuffer(width: 1, height: 60_000, bytes: [UInt8](repeating: 255, count: 240_000)))
    let made = try line.resized(Resize(.box(PixelSize(1000, 1000)), fit: .cover))
    #expect(made.size == PixelSize(1000, 1000) && made[999, 999]?.green == 255)
  }

  private static let all: [Orientation] = (1...8).map { Orientation(exif: $0) }

  /// The place of a pixel of a 5x3 picture after the turn.
  private func place(_ x: Int, _ y: Int, _ way: Orientation) -> [Int] {
    let part = (0..<3).flatMap { y in (0..<5).map { x in (x, y) } }
    let size = way.turned(PixelSize(5, 3))
    for row in 0..<size.height {
      for column in 0..<size.width {
        let source = way.source(of: PixelRect(x: column, y: row, width: 1, height: 1), in: size)
        if (source.x, source.y) == (x, y), part.contains(where: { $0 == (x, y) }) { return [column, row] }
      }
    }
    return []
  }

  /// The definition of the tag: where the stored picture's first row and column are displayed.
  @Test(arguments: [
    (1, [0, 0], [4, 0]), (2, [4, 0], [0, 0]), (3, [4, 2], [0, 2]), (4, [0, 2], [4, 2]), (5, [0, 0], [0, 4]),
    (6, [2, 0], [2, 4]), (7, [2, 4], [2, 0]), (8, [0, 4], [0, 0]),
  ])
  func exifOrientations(_ exif: Int, firstPixel: [Int], endOfFirstRow: [Int]) {
    #expect(place(0, 0, Orientation(exif: exif)) == firstPixel)
    #expect(place(4, 0, Orientation(exif: exif)) == endOfFirstRow)
  }

  @Test func twoRotationsAreCombined() {
    for first in Self.all {
      for second in Self.all {
        let both = first.then(second)
        let size = PixelSize(5, 3)
        #expect(both.turned(size) == second.turned(first.turned(size)))
        for (x, y) in [(0, 0), (4, 0), (1, 2)] {
          let pixel = PixelRect(x: x, y: y, width: 1, height: 1)
          // From the result back to the intermediate picture, and from there to the first.
          let end = both.turned(size)
          guard x < end.width, y < end.height else { continue }
          let middle = second.source(of: pixel, in: end)
          let start = first.source(of: middle, in: first.turned(size))
          #expect(both.source(of: pixel, in: end) == start)
        }
      }
    }
    #expect(Orientation.quarter.then(.quarter) == .half)
    #expect(Orientation.quarter.then(.threeQuarters) == .upright)
  }
}

@Suite("Steps are combined as far as they commute")
struct TransformPlanTests {
  private func plan(
    _ steps: [ImageTransform.Step], _ size: PixelSize = PixelSize(400, 300), orientation: Int = 1
  ) throws -> TransformPlan {
    try TransformPlan(steps, size: size, orientation: orientation)
  }

  @Test func noStepsAreTheIdentity() throws {
    #expect(try plan([]).isIdentity)
    #expect(try plan([.resize(Resize(.box(PixelSize(1000, 1000)), fit: .down))]).isIdentity)
    #expect(try plan([.turn(.half), .turn(.half)]).isIdentity)
    #expect(try plan([.autoOrient]).isIdentity)
    #expect(try !plan([.turn(.half)]).isIdentity)
  }

  @Test func rotationComesAfterShrinking() throws {
    let plan = try plan([.autoOrient, .resize(Resize(.box(PixelSize(100, 100))))], orientation: 6)
    #expect(plan.stages.count == 1)
    #expect(plan.stages.first?.size == PixelSize(100, 75))
    #expect(plan.result == PixelSize(75, 100))
    #expect(plan.isOriented)
  }

  @Test func thePictureIsRotatedOnce() throws {
    #expect(try plan([.autoOrient, .autoOrient], orientation: 6).result == PixelSize(300, 400))
  }

  @Test func cropsAreCombined() throws {
    let plan = try plan([.crop(Crop(PixelSize(200, 200), x: 10, y: 20)), .crop(Crop(PixelSize(50, 50), x: 1, y: 2))])
    #expect(plan.stages.count == 1)
    #expect(plan.stages.first?.part == PixelRect(x: 11, y: 22, width: 50, height: 50))
    #expect(plan.result == PixelSize(50, 50))
  }

  @Test func aCropOfARotatedPictureIsFoundInTheOriginal() throws {
    // A quarter clockwise: the upper left corner of the result is the lower left one of the original.
    let plan = try plan([.turn(.quarter), .crop(Crop(PixelSize(30, 40), x: 0, y: 0))])
    #expect(plan.stages.first?.part == PixelRect(x: 0, y: 270, width: 40, height: 30))
    #expect(plan.result == PixelSize(30, 40))
  }

  @Test(
    "Of a very long picture only the part is scaled that covers the box",
    arguments: [
      (PixelSize(4, 2000), PixelSize(1000, 1000)), (PixelSize(1, 5000), PixelSize(50, 50)),
      (PixelSize(5000, 1), PixelSize(10, 500)), (PixelSize(300_000, 30), PixelSize(64, 64)),
    ])
  func longPictures(source: PixelSize, box: PixelSize) throws {
    let plan = try TransformPlan([.resize(Resize(.box(box), fit: .cover))], size: source, orientation: 1)
    #expect(plan.result == box && plan.stages.count == 1)
    let stage = try #require(plan.stages.first)
    #expect(stage.size.width * stage.size.height <= 64 * box.width * box.height, "\(stage)")
    #expect(abs(stage.part.x * 2 + stage.part.width - source.width) <= 1, "\(stage.part) is in the middle")
    #expect(abs(stage.part.y * 2 + stage.part.height - source.height) <= 1, "\(stage.part) is in the middle")
  }

  @Test func coveringCropsTheExcess() throws {
    let plan = try plan([.resize(Resize(.box(PixelSize(100, 100)), fit: .cover))])
    #expect(plan.stages.first?.size == PixelSize(133, 100))
    #expect(plan.stages.first?.kept == PixelRect(x: 16, y: 0, width: 100, height: 100))
    #expect(plan.result == PixelSize(100, 100))
  }

  @Test func aSecondScalingIsAnotherStage() throws {
    let plan = try plan([.resize(Resize(.percent(50))), .resize(Resize(.percent(200)))])
    #expect(plan.stages.map(\.size) == [PixelSize(200, 150), PixelSize(400, 300)])
  }

  @Test func aCropOutsideOfThePictureFails() {
    #expect(throws: TransformFailure.self) { try self.plan([.crop(Crop(PixelSize(10, 10), x: 400, y: 0))]) }
  }

  @Test(arguments: [(256, 1), (250, 1), (251, 2), (500, 2), (600, 3), (1999, 8), (2000, 8)])
  func jpegIsDecodedAtTheSmallestScaleThatSuffices(width: Int, eighths: Int) throws {
    let source = PixelSize(2000, 1000)
    let plan = try plan([.resize(Resize(.width(width == 256 ? 100 : width)))], source)
    let stage = try #require(plan.stages.first)
    #expect(Shrinking(stage, of: source, .jpeg, isAnimated: false).eighths == eighths)
    #expect(Shrinking(stage, of: source, .png, isAnimated: false).eighths == 8)
  }

  @Test func aCropIsScaledWithThePicture() throws {
    let source = PixelSize(1003, 1003)
    let plan = try plan([.crop(Crop(PixelSize(401, 401), x: 101, y: 3)), .resize(Resize(.width(50)))], source)
    let shrinking = Shrinking(try #require(plan.stages.first), of: source, .jpeg, isAnimated: false)
    #expect(shrinking.eighths == 1)
    #expect(shrinking.size == PixelSize(126, 126))
    #expect(shrinking.part == PixelRect(x: 12, y: 0, width: 51, height: 51))
    #expect(shrinking.region == .init(left: 0.625, top: 0.375, width: 50.125, height: 50.125))
  }
}

@Suite("A transform has a signature")
struct TransformSignatureTests {
  @Test func equalTransformsHaveEqualSignaturesAndOthersDoNot() {
    let transforms: [ImageTransform] = [
      ImageTransform(),
      ImageTransform(steps: [.resize(Resize(.width(100)))]),
      ImageTransform(steps: [.resize(Resize(.height(100)))]),
      ImageTransform(steps: [.resize(Resize(.width(100), fit: .down))]),
      ImageTransform(steps: [.crop(Crop(PixelSize(3, 4)))]),
      ImageTransform(steps: [.crop(Crop(PixelSize(3, 4), x: 0, y: 0))]),
      ImageTransform(steps: [.autoOrient]),
      ImageTransform(steps: [.turn(.half)]),
      ImageTransform(steps: [.turn(.half), .autoOrient]),
      ImageTransform(steps: [.autoOrient, .turn(.half)]),
      ImageTransform(target: .format(.jpeg)),
      ImageTransform(target: .format(.webp)),
      ImageTransform(quality: 80),
      ImageTransform(background: .init(red: 1, green: 2, blue: 3)),
      ImageTransform(strips: true),
      ImageTransform(takesFirstFrame: true),
    ]
    #expect(Set(transforms.map(\.signature)).count == transforms.count)
    #expect(transforms.map(\.signature) == transforms.map(\.signature))
  }

  /// A cached result would be another transform's if the signature lacked a property, and an image unchanged by it if
  /// the job of a helper did.
  @Test func eachPropertyIsInTheSignatureAndInTheJobOfAHelper() {
    let changes: [(inout ImageTransform) -> Void] = [
      { $0.steps = [.turn(.half)] }, { $0.target = .byAlpha }, { $0.quality = 80 }, { $0.speed = 3 },
      { $0.background.red = 1 }, { $0.strips = true }, { $0.keepsMetadata = true }, { $0.keepsOrientation = true },
      { $0.takesFirstFrame = true },
    ]
    #expect(Mirror(reflecting: ImageTransform()).children.count == changes.count)
    let transforms = changes.map { change in
      var transform = ImageTransform()
      change(&transform)
      return transform
    }
    #expect(Set(transforms.map(\.signature) + [ImageTransform().signature]).count == changes.count + 1)
    for transform in transforms { #expect(ImageTransform(encoded: transform.encoded) == transform) }
  }

  /// The signature is the key of cached results in later runs.
  @Test func itIsTheSameInEveryRun() {
    let transform = ImageTransform(steps: [.resize(Resize(.box(PixelSize(256, 256))))], target: .format(.jpeg))
    #expect(String(transform.signature, radix: 16) == "58753cbef186775c")
  }
}
