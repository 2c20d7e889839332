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
  /// The first number of an encoded step.
  private enum Kind: Int { case resize, crop, autoOrient, turn }

  /// The encoded step: its kind, and five numbers that depend on it.
  fileprivate func append(to writer: inout ByteWriter) {
    var numbers: [Int]
    switch self {
    case .resize(let resize):
      numbers = [Kind.resize.rawValue, Resize.Fit.allCases.firstIndex(of: resize.fit) ?? 0, resize.pads ? 1 : 0]
      switch resize.target {
      case .box(let size): numbers += [0, size.width, size.height]
      case .width(let width): numbers += [1, width, 0]
      case .height(let height): numbers += [2, height, 0]
      case .percent(let percent): numbers += [3, Int(truncatingIfNeeded: percent.bitPattern), 0]
      case .pixelBytes(let bytes): numbers += [4, bytes, 0]
      }
    // A corner may be anywhere except left of or above the picture.
    case .crop(let crop):
      numbers = [Kind.crop.rawValue, crop.size.width, crop.size.height, crop.x ?? -1, crop.y ?? -1, 0]
    case .autoOrient: numbers = [Kind.autoOrient.rawValue, 0, 0, 0, 0, 0]
    case .turn(let way):
      let flags = [way.isTransposed, way.isMirrored, way.isFlipped, false, false]
      numbers = [Kind.turn.rawValue] + flags.map { $0 ? 1 : 0 }
    }
    for number in numbers { writer.put(Int64(number)) }
  }

  fileprivate init?(from reader: inout ByteReader) {
    var numbers: [Int] = []
    for _ in 0..<6 {
      guard let number = reader.take(Int64.self) else { return nil }
      numbers.append(Int(truncatingIfNeeded: number))
    }
    switch Kind(rawValue: numbers[0]) {
    case .resize:
      guard Resize.Fit.allCases.indices.contains(numbers[1]) else { return nil }
      let target: Resize.Target
      switch numbers[3] {
      case 0: target = .box(PixelSize(numbers[4], numbers[5]))
      case 1: target = .width(numbers[4])
      case 2: target = .height(numbers[4])
      case 3: target = .percent(Double(bitPattern: UInt64(truncatingIfNeeded: numbers[4])))
      case 4: target = .pixelBytes(numbers[4])
      default: return nil
      }
      self = .resize(Resize(target, fit: Resize.Fit.allCases[numbers[1]], pads: numbers[2] != 0))
    case .crop:
      let (x, y) = (numbers[3], numbers[4])
      self = .crop(Crop(PixelSize(numbers[1], numbers[2]), x: x < 0 ? nil : x, y: y < 0 ? nil : y))
    case .autoOrient: self = .autoOrient
    case .turn:
      let flags = numbers.map { $0 != 0 }
      self = .turn(Orientation(isTransposed: flags[1], isMirrored: flags[2], isFlipped: flags[3]))
    case nil: return nil
    }
  }
}
