import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Pictures of an image that is coming") struct PartialPicturesTests {
  private let jpeg = TestImages.jpeg(width: 320, height: 240)

  /// The shown pictures, and the work that is left.
  private final class Run: Sendable {
    let workers = Workers(bound: 1 << 20, drained: {})
    let clock = ManualClock()
    let shown = Guarded<[PixelBuffer]>([])
    let asked = Guarded<[(UInt64, @Sendable () -> Void)]>([])

    func pictures(_ options: DecodingOptions) -> PartialPictures {
      // Jobs are run on the thread that adds them.
      workers.close()
      return PartialPictures(
        options, ImageDecoding(executor: InProcessExecutor(), decoders: [], place: .inProcess), workers: workers,
        clock: clock,
        later: { [asked] nanoseconds, act in asked.withLock { $0.append((nanoseconds, act)) } },
        show: { [shown] picture in shown.withLock { $0.append(picture) } })
    }
  }

  private func facts(_ bytes: [UInt8]) throws -> ImageFacts {
    var inspector = Inspector()
    try inspector.feed(bytes.span)
    return try inspector.finish()
  }

  private func beginning(_ part: Int, of parts: Int) -> ImageBody {
    ImageBody(.bytes(Array(jpeg.prefix(jpeg.count * part / parts))))
  }

  @Test("They have the wanted size, and are transparent where nothing has come")
  func size() throws {
    let run = Run()
    let pictures = run.pictures(DecodingOptions(size: Resize(.box(PixelSize(16, 16)), fit: .cover)))
    pictures.begin()
    pictures.grew(beginning(1, of: 2), try facts(jpeg))
    let picture = try #require(run.shown.withLock { $0.first })
    #expect(picture.width == 16 && picture.height == 16)
    #expect(picture[8, 0]?.alpha == 255 && picture[8, 15]?.alpha == 0)
    pictures.finish()
  }

  @Test("What comes soon after a picture is shown a little later, although no more bytes come")
  func later() throws {
    let run = Run()
    let pictures = run.pictures(DecodingOptions(size: Resize(.box(PixelSize(64, 64)))))
    pictures.begin()
    let facts = try facts(jpeg)
    pictures.grew(beginning(1, of: 4), facts)
    pictures.grew(beginning(3, of: 4), facts)
    #expect(run.shown.withLock { $0.count } == 1)
    let (wait, look) = try #require(run.asked.withLock { $0.first })
    #expect(wait > 0 && wait <= 100_000_000)
    run.clock.advance(.milliseconds(100))
    look()
    #expect(run.shown.withLock { $0.count } == 2)
    pictures.finish()
    run.clock.advance(.seconds(1))
    pictures.grew(beginning(4, of: 4), facts)
    look()
    #expect(run.shown.withLock { $0.count } == 2)
  }

  @Test("A download that begins anew is shown from its beginning")
  func anew() throws {
    let run = Run()
    let pictures = run.pictures(DecodingOptions(size: Resize(.box(PixelSize(64, 64)))))
    let facts = try facts(jpeg)
    pictures.begin()
    pictures.grew(beginning(3, of: 4), facts)
    run.clock.advance(.seconds(1))
    pictures.begin()
    pictures.grew(beginning(1, of: 2), facts)
    let rows = run.shown.withLock { pictures in
      pictures.map { picture in (0..<picture.height).filter { picture[0, $0]?.alpha == 255 }.count }
    }
    #expect(rows.count == 2 && rows[0] > rows[1])
    pictures.finish()
  }

  @Test("There are none of an image with more pixels than the limit")
  func limit() throws {
    let run = Run()
    var options = DecodingOptions()
    options.maximumPixels = 100
    let pictures = run.pictures(options)
    pictures.begin()
    pictures.grew(beginning(1, of: 2), try facts(jpeg))
    #expect(run.shown.withLock { $0.isEmpty })
    pictures.finish()
  }
}
