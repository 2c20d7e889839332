/// The largest image that is accepted. Checked when the size is read, and again at each frame, before anything is
/// allocated for it.
package struct InspectionLimits: Sendable, Hashable {
  /// The limit where none is given: 256 Mi pixels, 1 GiB when they are decoded with four bytes each.
  package static let usualPixels: Int64 = 256 << 20

  /// The pixels of the screen and of each frame; where pictures are decoded, those of all frames.
  package var maxPixels: Int64

  package init(maxPixels: Int64 = InspectionLimits.usualPixels) { self.maxPixels = maxPixels }

  /// Throws if the image is larger. The sizes are from a header and may be any number.
  func admit(width: Int, height: Int, frames: Int) throws(InspectionFailure) {
    let area = Int64(width).multipliedReportingOverflow(by: Int64(height))
    let all = area.partialValue.multipliedReportingOverflow(by: Int64(max(1, frames)))
    if area.overflow || all.overflow || all.partialValue > maxPixels {
      throw .tooManyPixels(width: width, height: height, frames: frames, limit: maxPixels)
    }
  }
}
