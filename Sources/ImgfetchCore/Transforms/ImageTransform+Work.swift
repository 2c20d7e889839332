// A transform as pixel work: the part that needs codecs.
extension ImageTransform: PixelWork {
  package func formats(for facts: ImageFacts) -> Set<ImageFormat> { [facts.format, format(for: facts)] }

  /// Pixels that no encoder makes smaller, with their metadata; or the image itself with less.
  package func longestResult(_ facts: ImageFacts, encoded: Int64) -> Int {
    let pixels = made(facts).multipliedReportingOverflow(by: 10)
    let most = (pixels.overflow ? .max / 2 : pixels.partialValue).addingReportingOverflow(encoded)
    return most.overflow ? .max : Int(clamping: most.partialValue).addingReportingOverflow(32 << 20).partialValue
  }

  /// A second for each million pixels; for AVIF, whose encoder takes what its options say, a minute.
  package func encodingSeconds(_ facts: ImageFacts) -> Int64 {
    // A drawing says itself how large it is.
    if facts.format == .svg, format(for: facts) != .avif { return 0 }
    return min(300, 1 + made(facts) / (format(for: facts) == .avif ? 1 << 14 : 1 << 20))
  }

  /// The pixels of the result, over all frames.
  private func made(_ facts: ImageFacts) -> Int64 {
    let size = PixelSize(facts.width, facts.height)
    let plan = try? TransformPlan(steps, size: size, orientation: facts.orientation, orientsFirst: !keepsOrientation)
    let all = (plan?.result.area ?? 0).multipliedReportingOverflow(by: Int64(max(1, frames(of: facts))))
    return all.overflow ? .max / 16 : all.partialValue
  }

  package func run(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8] {
    try run(body, facts, memory: memory, keepsEighth: false).made
  }

  /// The result, and the decoder of the image if one was needed: it may have the picture at an eighth of its size.
  func run(
    _ body: ImageBody, _ facts: ImageFacts, memory: Int64, keepsEighth: Bool
  ) throws(PixelFailure) -> (made: [UInt8], decoder: ImageDecoder?) {
    let plan: TransformPlan
    do {
      plan = try TransformPlan(
        steps, size: PixelSize(facts.width, facts.height), orientation: facts.orientation,
        orientsFirst: !keepsOrientation)
    } catch {
      // The caller has made the same plan before, and has reported an error if that failed.
      throw .unsupported(facts.format, reason: "\(error)")
    }
    if stripsOnly(facts, plan), let bare = try stripped(body, facts, memory: memory) { return (bare, nil) }
    let run = try TransformRun(self, plan, body, facts, memory: memory, keepsEighth: keepsEighth)
    return (try run.run(), run.decoder)
  }

  /// The first byte of an encoded transform; pixel checks begin with smaller numbers.
  package static let mark: UInt8 = 16

  /// Stands for ``Target/byAlpha`` where formats have names.
  private static let byAlpha = "by alpha"

  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.put(Self.mark)
    switch target {
    case .same: writer.put("")
    case .byAlpha: writer.put(Self.byAlpha)
    case .format(let format): writer.put(format.rawValue)
    }
    writer.put(Int64(quality ?? -1))
    writer.put(Int64(speed ?? -1))
    for byte in [background.red, background.green, background.blue] { writer.put(byte) }
    for flag in [strips, keepsMetadata, keepsOrientation, takesFirstFrame] { writer.put(UInt8(flag ? 1 : 0)) }
    writer.put(UInt32(clamping: steps.count))
    for step in steps { step.append(to: &writer) }
    return writer.bytes
  }

  /// Nil if the bytes are not an ``encoded`` transform.
  package init?(encoded bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard reader.take(UInt8.self) == Self.mark, let target = reader.takeText(), let quality = reader.take(Int64.self),
      let speed = reader.take(Int64.self),
      let red = reader.take(UInt8.self), let green = reader.take(UInt8.self), let blue = reader.take(UInt8.self),
      let strips = reader.take(UInt8.self), let keeps = reader.take(UInt8.self), let stored = reader.take(UInt8.self),
      let first = reader.take(UInt8.self), let count = reader.take(UInt32.self)
    else { return nil }
    self.init(
      quality: quality < 0 ? nil : Int(clamping: quality), speed: speed < 0 ? nil : Int(clamping: speed),
      background: Colour(red: red, green: green, blue: blue),
      strips: strips != 0, keepsMetadata: keeps != 0, keepsOrientation: stored != 0, takesFirstFrame: first != 0)
    if target == Self.byAlpha {
      self.target = .byAlpha
    } else if !target.isEmpty {
      guard let format = ImageFormat(rawValue: target) else { return nil }
      self.target = .format(format)
    }
    for _ in 0..<count {
      guard let step = Step(from: &reader) else { return nil }
      steps.append(step)
    }
    guard reader.isAtEnd else { return nil }
  }
}

extension ImageTransform.Step {
  fileprivate func append(to writer: inout ByteWriter) {
    switch self {
    case .resize(let resize):
      writer.put(UInt8(0))
      writer.put(resize.fit.rawValue)
      writer.put(UInt8(resize.pads ? 1 : 0))
      switch resize.target {
      case .box(let size): Self.append(0, size.width, size.height, to: &writer)
      case .width(let width): Self.append(1, width, 0, to: &writer)
      case .height(let height): Self.append(2, 0, height, to: &writer)
      case .percent(let percent): Self.append(3, Int(bitPattern: UInt(percent.bitPattern)), 0, to: &writer)
      case .pixelBytes(let bytes): Self.append(4, bytes, 0, to: &writer)
      }
    case .crop(let crop):
      Self.append(1, crop.size.width, crop.size.height, to: &writer)
      // A corner may be anywhere except left of or above the picture.
      Self.append(1, crop.x ?? -1, crop.y ?? -1, to: &writer)
    case .autoOrient: writer.put(UInt8(2))
    case .turn(let way):
      writer.put(UInt8(3))
      for flag in [way.isTransposed, way.isMirrored, way.isFlipped] { writer.put(UInt8(flag ? 1 : 0)) }
    }
  }

  private static func append(_ kind: UInt8, _ first: Int, _ second: Int, to writer: inout ByteWriter) {
    writer.put(kind)
    writer.put(Int64(first))
    writer.put(Int64(second))
  }

  fileprivate init?(from reader: inout ByteReader) {
    switch reader.take(UInt8.self) {
    case 0:
      guard let fit = reader.takeText().flatMap(Resize.Fit.init(rawValue:)),
        let pads = reader.take(UInt8.self), let (kind, first, second) = Self.takeNumbers(&reader)
      else { return nil }
      let target: Resize.Target
      switch kind {
      case 0: target = .box(PixelSize(first, second))
      case 1: target = .width(first)
      case 2: target = .height(second)
      case 3: target = .percent(Double(bitPattern: UInt64(UInt(bitPattern: first))))
      case 4: target = .pixelBytes(first)
      default: return nil
      }
      self = .resize(Resize(target, fit: fit, pads: pads != 0))
    case 1:
      guard let width = reader.take(Int64.self), let height = reader.take(Int64.self),
        let (_, x, y) = Self.takeNumbers(&reader)
      else { return nil }
      let size = PixelSize(Int(clamping: width), Int(clamping: height))
      self = .crop(Crop(size, x: x < 0 ? nil : x, y: y < 0 ? nil : y))
    case 2: self = .autoOrient
    case 3:
      guard let transposed = reader.take(UInt8.self), let mirrored = reader.take(UInt8.self),
        let flipped = reader.take(UInt8.self)
      else { return nil }
      self = .turn(Orientation(isTransposed: transposed != 0, isMirrored: mirrored != 0, isFlipped: flipped != 0))
    default: return nil
    }
  }

  private static func takeNumbers(_ reader: inout ByteReader) -> (kind: UInt8, first: Int, second: Int)? {
    guard let kind = reader.take(UInt8.self), let first = reader.take(Int64.self), let second = reader.take(Int64.self)
    else { return nil }
    return (kind, Int(clamping: first), Int(clamping: second))
  }
}
