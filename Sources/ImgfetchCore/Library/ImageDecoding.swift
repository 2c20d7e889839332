/// Decodes images that are in memory.
struct ImageDecoding: Sendable {
  var executor: any PixelExecutor
  let decoders: [any PixelDecoder]
  let place: DecodingPlace

  /// The decoding of an image of the program's own format while it arrives, or nil if no decoder does that.
  func coming(_ body: ImageBody) -> (any ComingPixels)? {
    let beginning = body.bytes(from: 0, atMost: BodyInspector.beginning)
    return (decoders.first { $0.recognises(beginning) } as? any ComingPixelDecoder)?.begin()
  }

  /// All pictures of an image, or only the first.
  func pictures(
    of bytes: [UInt8], _ options: DecodingOptions, all: Bool, about subject: String
  ) throws(FetchError) -> [PixelBuffer] {
    let beginning = Array(bytes.prefix(64))
    if let own = decoders.first(where: { $0.recognises(beginning) }) {
      return try decode(bytes, with: own, options, all: all, about: subject)
    }
    let (facts, wanted) = options.target(of: try inspect(bytes, options, about: subject))
    let (pixels, isOver) = wanted.area.multipliedReportingOverflow(by: Int64(all ? facts.frames : 1))
    if isOver || pixels > options.maximumPixels {
      throw FetchError(
        .limit, subject, "\(wanted.width)x\(wanted.height) pixels are more than the limit of \(options.maximumPixels)",
        remedy: .allowMorePixels)
    }
    let pictures: [PixelBuffer]
    do throws(PixelFailure) {
      let limits = PixelLimits(maxPixels: options.maximumPixels, executor: executor)
      pictures = try decode(ImageBody(.bytes(bytes)), facts, wanted, limits, all: all)
    } catch { throw error.fetchError(of: subject) }
    guard let crop = options.size?.crop(wanted) else { return pictures }
    return pictures.map { $0.cropped(crop) ?? $0 }
  }

  private func decode(
    _ body: ImageBody, _ facts: ImageFacts, _ size: PixelSize, _ limits: PixelLimits, all: Bool
  ) throws(PixelFailure) -> [PixelBuffer] {
    try limits.admit(facts, frames: all ? nil : 1)
    let need = PixelLimits.need(facts, encoded: body.count) + size.area * 4
    return try limits.memory.holding(need) { memory throws(PixelFailure) in
      let frames = try ShownFrames(body, facts, size: size, memory: memory, executor: executor)
      var pictures: [PixelBuffer] = []
      while let picture = try frames.next() {
        pictures.append(
          PixelBuffer(
            unchecked: picture.size, picture.bytes, milliseconds: facts.frames > 1 ? picture.milliseconds : 0))
        if !all { break }
      }
      guard !pictures.isEmpty else { throw .damaged(facts.format, reason: "it has no picture") }
      return pictures
    }
  }

  private func decode(
    _ bytes: [UInt8], with own: any PixelDecoder, _ options: DecodingOptions, all: Bool, about subject: String
  ) throws(FetchError) -> [PixelBuffer] {
    var pictures: [PixelBuffer]
    do throws(OwnFormatFailure) {
      pictures = try DecodedFormat(own).pictures(of: bytes, maximumPixels: options.maximumPixels)
    } catch { throw error.fetchError(of: subject) }
    if !all { pictures = Array(pictures.prefix(1)) }
    guard let size = options.size else { return pictures }
    var made: [PixelBuffer] = []
    for picture in pictures { made.append(try picture.resized(size)) }
    return made
  }

  private func inspect(
    _ bytes: [UInt8], _ options: DecodingOptions, about subject: String
  ) throws(FetchError) -> ImageFacts {
    do throws(InspectionFailure) {
      return try Inspector.facts(of: bytes, limits: InspectionLimits(maxPixels: options.maximumPixels))
    } catch { throw error.fetchError(of: subject) }
  }
}
