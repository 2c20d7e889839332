import ImgfetchCore
import ImgfetchReport
import ImgfetchShow

/// `--html`: writes the report as a page.
enum ReportPage {
  static func write(
    _ findings: ReportFindings, to path: String, _ settings: Settings, _ messages: Messages
  ) throws(FetchError) {
    let thumbnails = ReportThumbnails(settings, messages)
    let tally = findings.tally
    var hash = SHA256()
    hash.update(Array(PageStyle.text.utf8).span)
    let page = Page.bytes(
      findings,
      Page.Surroundings(
        format: ReportText.text, time: { ShownTime.local(WallTime(seconds: $0)) },
        styleHash: String(decoding: Base64Text.bytes(hash.finish()), as: UTF8.self),
        sentence: ReportText.sentence(tally), times: ReportText.times(tally) ?? "", version: ImgfetchVersion.number,
        picture: thumbnails.picture))
    do throws(SystemError) {
      var file = try AtomicFile.create(path, mode: .readableByAll)
      try file.write(page.span)
      try file.publish()
    } catch { throw FetchError(.file, path, "the page cannot be written: \(error.code)") }
  }
}

/// Makes the pictures of the page from the files that rows name, as many as are wanted.
///
/// Used by one thread.
final class ReportThumbnails {
  private let settings: Settings
  private let limits: PixelLimits
  private let transform: ImageTransform
  private var left: Int
  /// Several sheets show the same images.
  private var made: [String: Page.Picture] = [:]

  private static let side = 160
  private static let quality = 70

  init(_ settings: Settings, _ messages: Messages) {
    self.settings = settings
    left = settings.rows.pictures
    limits = PixelLimits(
      maxPixels: settings.fetch.maximumPixels,
      executor: PixelExecutors.make(left > 0, isSandboxed: settings.isSandboxed, messages))
    transform = ImageTransform(
      steps: [.resize(Resize(.box(PixelSize(Self.side, Self.side)), fit: .down))], target: .byAlpha,
      quality: Self.quality, strips: true, takesFirstFrame: true)
  }

  /// The picture of a row's file, or nil if there is none, or no more are wanted.
  func picture(_ sample: Sample) -> Page.Picture? {
    guard left > 0, !sample.place.isEmpty else { return nil }
    if let known = made[sample.place] { return known }
    guard let picture = make(sample.place) else { return nil }
    left -= 1
    made[sample.place] = picture
    return picture
  }

  private func make(_ path: String) -> Page.Picture? {
    do {
      // A device or pipe named by a row would be waited for.
      guard try Descriptor.status(ofFile: path).kind == .regular else { return nil }
      let item = try ShownImage(file: path, settings, limits)
      let result = try transform.apply(to: item.body, item.facts, limits)
      return Page.Picture(mime: result.facts.format.mime, bytes: try result.body.bytes())
    } catch { return nil }
  }
}
