import ImgfetchCore
import ImgfetchReport
import ImgfetchShow

/// `--html`: the report as a page.
enum ReportPage {
  /// - Parameter shards: The inputs in whose shards images may lie.
  static func bytes(
    _ findings: ReportFindings, of shards: [RowInput], _ settings: Settings, _ messages: Messages
  ) -> [UInt8] {
    let thumbnails = ReportThumbnails(shards, settings, messages)
    let tally = findings.tally
    var hash = SHA256()
    hash.update(Array(PageStyle.text.utf8).span)
    return Page.bytes(
      findings,
      Page.Surroundings(
        format: ReportText.text, time: { ShownTime.local(WallTime(seconds: $0)) },
        styleHash: String(decoding: Base64.bytes(hash.finish()), as: UTF8.self),
        sentence: ReportText.sentence(tally), times: ReportText.times(tally) ?? "", version: ImgfetchVersion.number,
        picture: thumbnails.picture))
  }

  static func write(_ page: [UInt8], to path: String) throws(FetchError) {
    do throws(SystemError) {
      var file = try AtomicFile.create(path, mode: .readableByAll)
      try file.write(page.span)
      try file.publish()
    } catch { throw FetchError(.file, path, "the page cannot be written: \(error.code)") }
  }
}

/// Makes the pictures of the page from the files that rows name, and from shards, as many as are wanted.
///
/// Used by one thread.
final class ReportThumbnails {
  private enum Source: Hashable {
    case file(String)
    case shard(ImagePlace)
  }

  private let shards: [RowInput]
  private let settings: Settings
  private let limits: PixelLimits
  private let transform: ImageTransform
  private var left: Int
  /// Several sheets show the same images.
  private var made: [Source: Page.Picture] = [:]

  private static let side = 160
  private static let quality = 70

  init(_ shards: [RowInput], _ settings: Settings, _ messages: Messages) {
    self.shards = shards
    self.settings = settings
    left = settings.rows.pictures
    limits = PixelLimits(
      maxPixels: settings.fetch.maximumPixels,
      executor: PixelExecutors.make(left > 0, isSandboxed: settings.isSandboxed, messages))
    transform = ImageTransform(
      steps: [.resize(Resize(.box(PixelSize(Self.side, Self.side)), fit: .down))], target: .byAlpha,
      quality: Self.quality, strips: true, takesFirstFrame: true)
  }

  /// The picture of a row's image, or nil if the image cannot be had, or no more are wanted.
  func picture(_ sample: Sample) -> Page.Picture? {
    guard let source = sample.image.map({ .shard($0) }) ?? (sample.place.isEmpty ? nil : Source.file(sample.place))
    else { return nil }
    if let known = made[source] { return known }
    guard left > 0, let picture = make(source) else { return nil }
    left -= 1
    made[source] = picture
    return picture
  }

  /// The image of a source, or nil if it cannot be had.
  private func image(_ source: Source) throws -> ShownImage? {
    switch source {
    case .file(let path):
      // A device or pipe named by a row would be waited for.
      guard try Descriptor.status(ofFile: path).kind == .regular else { return nil }
      return try ShownImage(file: path, settings, limits)
    case .shard(let place):
      guard shards.indices.contains(place.input),
        let bytes = shards[place.input].bytes(of: place, most: settings.fetch.maximumBytes)
      else { return nil }
      return try ShownImage(inspecting: ImageBody(.bytes(bytes)), "", limits)
    }
  }

  private func make(_ source: Source) -> Page.Picture? {
    do {
      guard let item = try image(source) else { return nil }
      let result = try transform.apply(to: item.body, item.facts, limits)
      return Page.Picture(mime: result.facts.format.mime, bytes: try result.body.bytes())
    } catch { return nil }
  }
}
