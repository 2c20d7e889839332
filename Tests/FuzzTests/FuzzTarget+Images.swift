import Glibc

@testable import ImgfetchCore

// The bytes of an image: the walk through its structure, and the codecs behind it.
extension FuzzTarget {
  static let images = [
    FuzzTarget("inspect", words: words) { bytes in
      let began = processorTime()
      let whole = facts(of: bytes, pieces: bytes.count)
      let taken = processorTime() - began
      try Fault.unless(bytes.count > 1 << 20 || taken < 1, "\(taken) s for \(bytes.count) bytes")
      // The findings must not depend on where the network cut the bytes.
      for size in [1, 7] where bytes.count < 20_000 {
        try Fault.unless(facts(of: bytes, pieces: size) == whole, "found out otherwise in pieces of \(size)")
      }
    },
    FuzzTarget("decode", words: words) { bytes in
      guard let facts = facts(of: bytes, pieces: bytes.count) else { return }
      let body = ImageBody(.bytes(bytes))
      _ = try? PixelCheck.decoding.run(body, facts, memory: memory)
      _ = try? PixelCheck.hashing.run(body, facts, memory: memory)
    },
    FuzzTarget("thumbnail", words: words) { bytes in
      guard let facts = facts(of: bytes, pieces: bytes.count), facts.format == .jpeg else { return }
      // Scans of a progressive one that do not matter are not read.
      if zip(bytes, bytes.dropFirst()).contains(where: { $0 == (0xFF, 0xC2) }) { return }
      // A small size is decoded in another way than the whole, and must find the same fault.
      let whole = isDecoded(bytes, facts, eighths: 8)
      for eighths in [1, 2] {
        try Fault.unless(isDecoded(bytes, facts, eighths: eighths) == whole, "decoded otherwise at \(eighths) eighths")
      }
    },
    FuzzTarget("transform", words: words) { bytes in
      // The first byte says to what; the rest is the image.
      let rest = Array(bytes.dropFirst())
      guard let choice = bytes.first, let facts = facts(of: rest, pieces: rest.count) else { return }
      let format = ImageFormat.allCases[Int(choice) % ImageFormat.allCases.count]
      let transform = ImageTransform(
        steps: [.autoOrient, .resize(Resize(.box(PixelSize(9, 7)), fit: choice & 8 == 0 ? .inside : .cover))],
        target: .format(format), strips: choice & 16 != 0, takesFirstFrame: choice & 32 != 0)
      _ = try? transform.apply(to: ImageBody(.bytes(rest)), facts, PixelLimits(maxPixels: pixels))
    },
  ]

  private static let words = [
    "\u{89}PNG\r\n", "IHDR", "IDAT", "IEND", "acTL", "fcTL", "fdAT", "eXIf", "iCCP", "GIF89a", "NETSCAPE2.0", "RIFF",
    "WEBPVP8X", "VP8L", "ALPH", "ANMF", "Exif\0\0", "ICC_PROFILE\0", "Adobe", "ftypavif", "meta", "iinf", "iloc",
    "iprp", "ipma", "moov",
    "stsz", "II*\0", "MM\0*", "<svg", "<!ENTITY", "&a;", "]]>",
  ]

  /// The seconds of processor time of this thread.
  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Enough for a flaw to show, and little enough for thousands of tries.
  private static let pixels: Int64 = 1 << 16
  private static let memory: Int64 = 16 << 20

  private static func isDecoded(_ bytes: [UInt8], _ facts: ImageFacts, eighths: Int) -> Bool {
    do {
      let decoder = try ImageDecoder(
        ImageBody(.bytes(bytes)), facts, eighths: eighths, memory: memory, keepsEighth: true,
        usesSmallJPEG: true)
      var row = [UInt8](repeating: 0, count: decoder.layout.rowBytes)
      while try decoder.next() != nil {
        for _ in 0..<decoder.layout.height { try decoder.read(into: &row) }
      }
      if let eighth = decoder.eighth {
        row = [UInt8](repeating: 0, count: eighth.layout.rowBytes)
        for _ in 0..<eighth.layout.height { try eighth.read(into: &row) }
      }
      try decoder.finish()
      return true
    } catch { return false }
  }

  private static func facts(of bytes: [UInt8], pieces size: Int) -> ImageFacts? {
    var inspector = Inspector(limits: InspectionLimits(maxPixels: pixels))
    var start = 0
    do {
      while start < bytes.count {
        let end = min(bytes.count, start + max(1, size))
        try inspector.feed(bytes.span.extracting(start..<end))
        start = end
      }
      return try inspector.finish()
    } catch { return nil }
  }
}
