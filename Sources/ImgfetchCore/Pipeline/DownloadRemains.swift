/// The remains of a download that has brought no image.
struct DownloadRemains: Sendable {
  /// The answer that came instead, which may be kept.
  var sideAnswer: SideAnswer?
  /// The mirrors that have not been asked.
  var mirrors: ArraySlice<WebURL> = []
}
