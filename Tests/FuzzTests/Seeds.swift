import Foundation
import TestSupport

@testable import ImgfetchCore

/// The inputs that each target begins with: the files of its folder, every input that ever failed among them,
/// and images made in code.
enum Seeds {
  /// The folder with a folder for each target.
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "Seeds")

  static func of(_ target: FuzzTarget) -> [[UInt8]] {
    let own = folder.appendingPathComponent(target.name)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: own.path)) ?? []
    let files = names.sorted().compactMap { try? Array(Data(contentsOf: own.appendingPathComponent($0))) }
    switch target.name {
    case "inspect": return files + images + WorstCase.all.map { $0.make(2048) }
    case "decode": return files + images
    case "thumbnail": return files + jpegs
    case "transform": return files + images.enumerated().map { [UInt8(truncatingIfNeeded: $0 * 9)] + $1 }
    case "resume": return files + [resume]
    case "helper": return files + helper
    default: return files
    }
  }

  private static var resume: [UInt8] {
    let record = ResumeRecord(
      boot: "1b4e28ba", finalURL: "http://example.org/a.png", etag: "\"a\"",
      lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", date: nil, total: 1000, syncedLength: 100)
    return record.encoded ?? []
  }

  /// A job's head, a transform, and two replies.
  private static var helper: [[UInt8]] {
    let transform = ImageTransform(
      steps: [
        .resize(Resize(.box(PixelSize(7, 6)), fit: .cover)), .crop(Crop(PixelSize(5, 5), x: 1)), .autoOrient,
        .turn(.quarter),
      ], target: .format(.png), quality: 80)
    let job = SandboxMessage.Job(
      facts: ImageFacts(format: .gif, width: 5, height: 6, frames: 2, loopCount: 3), memory: 1 << 20, workLength: 1,
      bodyLength: 100, isFile: false)
    let results: [Result<[UInt8], PixelFailure>] = [.success([1, 2, 3]), .failure(.damaged(.png, reason: "bad"))]
    let replies = results.map { result in
      let (head, rest) = SandboxMessage.Reply.bytes(of: result)
      return head + rest
    }
    return [job.bytes, transform.encoded] + replies
  }

  private static var jpegs: [[UInt8]] {
    [(1, 1), (2, 2), (2, 1), (1, 4)].flatMap { across, down in
      [0, 2].map { interval in
        TestImages.jpeg(width: 41, height: 35) {
          ($0.sampling, $0.restartInterval) = ((across: across, down: down), interval)
        }
      }
    }
  }

  private static var bitmaps: [[UInt8]] {
    [(1, 0, 40), (4, 2, 40), (8, 1, 40), (16, 3, 40), (24, 0, 12), (32, 3, 124)].map { bits, coding, header in
      TestImages.bmp { ($0.bits, $0.coding, $0.headerSize) = (bits, coding, header) }
    } + [TestImages.ico([TestImages.iconBitmap(bits: 4), TestImages.iconBitmap(bits: 32), TestImages.png()])]
  }

  /// The formats that are walked by offsets and lengths of their own, and a text.
  private static var containers: [[UInt8]] {
    [
      TestImages.heif { $0.alpha = true }, TestImages.heif(width: 40, height: 30) { $0.tiles = (2, 2) },
      TestImages.heif { ($0.brand, $0.frames) = ("avis", 3) }, TestImages.tiff(), TestImages.bareJXL,
      TestImages.boxedJXL,
      TestImages.tiff { ($0.pages, $0.tile, $0.isBigEndian) = (2, 16, true) },
      Array(#"<!DOCTYPE svg [<!ENTITY a "b">]><svg width="9" height="5"><g id="&a;"/><!-- c --></svg>"#.utf8),
    ]
  }

  private static var images: [[UInt8]] {
    TestImages.samples().map(\.bytes) + [
      TestImages.progressiveJPEG(), TestImages.animatedWebP(), TestImages.lossyWebP(),
      TestImages.apng(width: 9, height: 7, frames: 3), TestImages.png(width: 11, height: 5) { $0.depth = 16 },
    ] + bitmaps + containers
  }
}
