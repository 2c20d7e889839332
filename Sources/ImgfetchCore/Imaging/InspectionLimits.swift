/// What an image may ask for at most. Checked when its size is read and again with each frame that comes, before
/// anything is allocated for it.
package struct InspectionLimits: Sendable, Hashable {
  /// Pixels times frames. The default is what `--max-pixels` says: 1 GiB when decoded with four bytes each.
  package var maxPixels: Int64

  package init(maxPixels: Int64 = 256 << 20) { self.maxPixels = maxPixels }

  /// Refuses what is larger. Sizes come from a header and may be anything.
  func admit(width: Int, height: Int, frames: Int) throws(InspectionFailure) {
    let area = Int64(width).multipliedReportingOverflow(by: Int64(height))
    let all = area.partialValue.multipliedReportingOverflow(by: Int64(max(1, frames)))
    if area.overflow || all.overflow || all.partialValue > maxPixels {
      throw .tooManyPixels(width: width, height: height, frames: frames, limit: maxPixels)
    }
  }
}
