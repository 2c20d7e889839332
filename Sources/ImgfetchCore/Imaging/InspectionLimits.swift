/// The largest image that is accepted. Checked when the size is read, and again at each frame, before anything is
/// allocated for it.
package struct InspectionLimits: Sendable, Hashable {
  /// The pixels of the screen and of each frame; where pictures are decoded, those of all frames. The default is that
  /// of `--max-pixels`: 1 GiB when decoded with four bytes each.
  package var maxPixels: Int64

  package init(maxPixels: Int64 = 256 << 20) { self.maxPixels = maxPixels }

  /// Throws if the image is larger. The sizes are from a header and may be any number.
  func admit(width: Int, height: Int, frames: Int) throws(InspectionFailure) {
    let area = Int64(width).multipliedReportingOverflow(by: Int64(height))
    let all = area.partialValue.multipliedReportingOverflow(by: Int64(max(1, frames)))
    if area.overflow || all.overflow || all.partialValue > maxPixels {
      throw .tooManyPixels(width: width, height: height, frames: frames, limit: maxPixels)
    }
  }
}
