import Glibc
import ImgfetchCore

/// Stores real entries by the way on which runs store them, as fast as the disk takes them.
struct CacheFilling: Sendable {
  let root: String
  let count: Int
  let daysAgo: Double

  /// The smallest image that there is: a million of them should say something of names, and not of bytes.
  private static let image: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3A, 0x7E, 0x9B, 0x55, 0x00, 0x00, 0x00, 0x0A, 0x49,
    0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0x60, 0x00, 0x00, 0x00, 0x02, 0x00, 0x01, 0x48, 0xAF, 0xA4, 0x71, 0x00, 0x00,
    0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
  ]

  func run() throws {
    let cache = try DiskCache.open(root: root)
    let cores = max(1, Threads.cores)
    let failure = Guarded<String?>(nil)
    var threads: [Thread] = []
    for number in 0..<cores {
      let handle = try Threads.start(name: "fill-\(number)") {
        do { try fill(cache, stride(from: number, to: count, by: cores)) } catch {
          failure.withLock { $0 = "\(error)" }
        }
      }
      threads.append(Thread(handle))
    }
    for thread in threads { thread.handle.join() }
    if let failure = failure.withLock({ $0 }) { throw Failure(description: failure) }
  }

  private func fill(_ cache: DiskCache, _ numbers: StrideTo<Int>) throws {
    let now = SystemClock().wallTime()
    let then = WallTime(nanoseconds: now.nanoseconds - Int64(daysAgo * 86_400e9))
    let hash = ContentHash(of: Self.image.span)
    let fields = HeaderFields([
      (name: "Content-Type", value: "image/png"), (name: "ETag", value: "\"5f3c-1\""),
      (name: "Cache-Control", value: "max-age=604800"),
    ])
    let facts = ImageFacts(
      format: .png, width: 1, height: 1, frames: 1, bits: 8, hasAlpha: false, orientation: 1, loopCount: nil,
      hasColourProfile: false, colourModel: .grey, trailingBytes: 0)
    var folder: Descriptor?
    for number in numbers {
      let key = CacheKey(url: "https://example.org/pictures/\(number).png")
      guard case .claimed(let part) = cache.claimPrivatePart(key) else {
        throw Failure(description: "\(root): the cache cannot be written")
      }
      let metadata = EntryMetadata(
        key: key, finalURL: key.url, status: 200, fields: fields, requestTime: then, responseTime: then, facts: facts,
        mime: "image/png", verification: .structure)
      try part.publish(metadata, body: Self.image, hash: hash)
      if folder == nil { folder = try Descriptor.folder(cache.path) }
      try folder?.open(key.path, [.read]).setTimes(accessed: then, modified: then)
    }
  }

  /// Arrays hold no values without copies yet, so each handle sits in a box.
  private final class Thread: Sendable {
    let handle: Threads.Handle
    init(_ handle: consuming sending Threads.Handle) { self.handle = handle }
  }

  private struct Failure: Error, CustomStringConvertible { let description: String }
}
