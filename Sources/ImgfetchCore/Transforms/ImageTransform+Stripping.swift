// Where only metadata is to go, the coding of the pixels stays as it is: a JPEG that is written anew is a little worse each time.
extension ImageTransform {
  /// Whether nothing is asked for but that metadata goes.
  func stripsOnly(_ facts: ImageFacts, _ plan: TransformPlan) -> Bool {
    // Ink becomes sRGB, so its pixels change.
    let isInk = facts.colourModel == .cmyk || facts.colourModel == .ycck
    return strips && !isInk && plan.isIdentity && format(for: facts) == facts.format && quality == nil
      && !(takesFirstFrame && facts.frames > 1)
  }

  /// The image without metadata; nil where its colours must be turned into sRGB.
  ///
  /// No codec is called unless there is a profile to be judged.
  func stripped(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8]? {
    if facts.hasColourProfile {
      let decoder = try ImageDecoder(body, facts, memory: memory)
      guard try ColourProfile.isImplied(decoder.profile, for: decoder.layout.model, facts.format) else { return nil }
    }
    return BareImage.bytes(of: try body.whole(), facts.format)
  }
}

extension ImageBody {
  /// All of it.
  fileprivate func whole() throws(PixelFailure) -> [UInt8] {
    if case .bytes(let bytes) = content { return bytes }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(count))
    do {
      try read { (piece) throws(SystemError) in
        unsafe piece.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
      }
    } catch { throw PixelFailure(error) }
    return bytes
  }
}
