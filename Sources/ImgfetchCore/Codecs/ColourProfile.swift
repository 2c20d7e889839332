import CImageShim

/// Compares colour profiles with sRGB.
package enum ColourProfile {
  /// Loads the library for profiles, in a process that is about to give up the right to open files. This takes a sixth
  /// of a millisecond of the two that such a process needs to start; whether a profile will come is not known by then.
  package static func prepare() { imgfetch_colours_prepare() }

  /// True if the profile can be dropped: it describes sRGB, which is assumed without a profile, or it does not apply to
  /// such pixels. Most cameras and phones write such profiles.
  package static func isImplied(
    _ profile: [UInt8], for model: PixelLayout.Model, _ format: ImageFormat
  ) throws(PixelFailure) -> Bool {
    if profile.isEmpty { return true }
    if model == .cmyk { return false }
    let row = samples(isGrey: model.isGrey)
    let layout = PixelLayout(
      width: model.isGrey ? row.count : row.count / 3, height: 1, model: model.isGrey ? .grey : .rgb)
    guard let converted = try SRGBRows(StoredRows(layout, row), profile: profile, format) else { return true }
    let wanted = model.isGrey ? row.flatMap { [$0, $0, $0] } : row
    return zip(try converted.all(), wanted).allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
  }

  /// Tone curves are rounded differently; a step of one in 255 is invisible.
  private static let tolerance = 1

  /// Samples of the whole colour range.
  private static func samples(isGrey: Bool) -> [UInt8] {
    if isGrey { return Array(0...255) }
    // Black, white, and fifteen steps between them on each axis.
    let steps = (0...16).map { UInt8(clamping: $0 * 16) }
    return steps.flatMap { red in steps.flatMap { green in steps.flatMap { [red, green, $0] } } }
  }
}
