import ImgfetchCore

/// A file that `inspect` examines, and what is found of it.
struct InspectedFile {
  let name: String
  var facts: ImageFacts?
  var bytes: Int64 = 0
  /// A checksum of the pixels; nil unless requested and available.
  var pixels: ContentHash?
  /// A checksum of the bytes; nil unless requested.
  private(set) var sha256: [UInt8]?
  private(set) var details: ImageDetails?
  var error: FetchError?
  private var failure: InspectionFailure?

  init(name: String) { self.name = name }

  /// Large enough to make the cost of system calls negligible.
  private static let pieceSize = 128 << 10
  private static let keptForDoubt: Int64 = 16 << 20

  mutating func inspect(_ settings: Settings, _ limits: PixelLimits) throws(FetchError) {
    var inspector = Inspector(limits: InspectionLimits(maxPixels: settings.fetch.maximumPixels))
    var piece: [UInt8] = []
    var sum: SHA256? = settings.report.checksum ? SHA256() : nil
    let input: SharedDescriptor
    // Decoding reads the file a second time, so standard input must be kept; in case of a doubt alone, only as much as
    // most images have.
    var kept: [UInt8]? = name == "-" ? [] : nil
    do { input = try name == "-" ? .standardInput : SharedDescriptor(.open(name, .read)) } catch {
      let advice = name.holds("://") ? "; imgfetch get -o - URL | imgfetch inspect - looks at what a URL has" : ""
      throw FetchError(.file, name, "cannot be opened: \(error.code)\(advice)")
    }
    while true {
      piece.removeAll(keepingCapacity: true)
      do { if try input.file.read(into: &piece, count: Self.pieceSize) == 0 { break } } catch {
        throw FetchError(.file, name, "cannot be read: \(error.code)")
      }
      bytes += Int64(piece.count)
      if bytes > settings.fetch.maximumBytes {
        throw FetchError(
          .limit, name, "larger than \(settings.fetch.maximumBytes) bytes", remedy: .allowMoreBytes)
      }
      sum?.update(piece.span)
      if settings.fetch.verification != .decode, settings.fetch.details.isEmpty, bytes > Self.keptForDoubt {
        kept = nil
      }
      kept?.append(contentsOf: piece)
      do {
        try inspector.feed(piece.span)
        facts = inspector.facts
      } catch {
        facts = inspector.facts
        failure = error
        throw error.fetchError(of: name)
      }
    }
    if let sum = sum.take() { sha256 = sum.finish() }
    let stored = ImageBody.Stored(descriptor: input, length: bytes, expectedHash: nil)
    let body = kept.map { ImageBody(.bytes($0)) } ?? (name == "-" ? nil : ImageBody(.file(stored)))
    do throws(InspectionFailure) { facts = try settle(inspector.verdict(), body, limits) } catch {
      failure = error
      throw error.fetchError(of: name)
    }
    guard let facts else { return }
    if settings.fetch.verification == .decode, let body {
      pixels = try decode(body, facts, limits, hashes: settings.report.isJSON)
      self.facts?.hasKnownEnd = true
    }
    let wanted = settings.fetch.details
    if !wanted.isEmpty, let body {
      do throws(PixelFailure) { details = try DetailWork(wanted).details(of: body, facts, limits) } catch {
        throw error.fetchError(of: name)
      }
    }
    if let objection = settings.fetch.filter.objection(to: facts) { throw FetchError(.damaged, name, objection) }
  }

  /// The facts of an image that has every pixel. If only decoding can tell, it is decoded.
  private func settle(
    _ verdict: InspectionVerdict, _ body: ImageBody?, _ limits: PixelLimits
  ) throws(InspectionFailure) -> ImageFacts {
    switch verdict {
    case .accepted(let facts):
      guard !facts.hasKnownEnd, let body else { return facts }
      do throws(PixelFailure) { return try PixelCheck.settlingEnd(of: body, facts, limits) } catch {
        throw .truncated(facts.format, at: bytes)
      }
    case .doubtful(let facts, let failure):
      guard let body, PixelCheck.dispelsDoubt(about: body, facts, limits) else { throw failure }
      return facts
    }
  }

  /// Decodes every pixel. Returns a checksum if it will be printed.
  private func decode(
    _ body: ImageBody, _ facts: ImageFacts, _ limits: PixelLimits, hashes: Bool
  ) throws(FetchError) -> ContentHash? {
    do throws(PixelFailure) {
      if hashes { return try PixelCheck.checksum(body, facts, limits) }
      try PixelCheck.verify(body, facts, limits)
      return nil
    } catch { throw error.fetchError(of: name) }
  }

  func appendJSON(to buffer: inout [UInt8]) {
    ObjectWriter.appendLine(to: &buffer) { object in
      object.text("file", name)
      object.text("format", facts?.format.rawValue)
      object.text("mime", facts?.format.mime)
      object.number("width", facts?.width)
      object.number("height", facts?.height)
      object.number("frames", facts?.frames)
      object.number("bits", facts?.bits)
      object.flag("alpha", facts?.hasAlpha)
      object.number("orientation", facts?.orientation)
      object.number("bytes", bytes)
      object.flag("whole", isEndUnknown ? nil : error == nil)
      if let flaws = facts?.flaws, !flaws.isEmpty { object.raw("flaws") { ResultJSON.append(flaws, to: &$0) } }
      if let pixels { object.text("pixels", pixels.hex) }
      if let sha256 { object.text("sha256", Hex.text(sha256)) }
      if let details, !details.fingerprints.isEmpty {
        object.raw("fingerprints") { ResultJSON.append(details, to: &$0) }
      }
      if let exif = details?.exif { object.raw("exif") { ResultJSON.append(exif, to: &$0) } }
      object.raw("error") { buffer in
        if let error { ResultJSON.append(error, to: &buffer) } else { buffer.append(text: "null") }
      }
    }
  }

  var isNamedLikeImage: Bool {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
    let letters = name.utf8[name.utf8.index(after: dot)...].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let end = String(decoding: letters, as: UTF8.self)
    return ImageFormat.allCases.contains { $0.acceptedExtensions.contains(end) }
  }

  /// True if the file has no fault, but its format does not tell where it ends.
  private var isEndUnknown: Bool { error == nil && facts?.hasKnownEnd == false }

  /// The first column of its line.
  private var verdict: String {
    if case .truncated? = failure { return "truncated" }
    if isEndUnknown { return "unknown" }
    return switch error?.kind {
    case nil: facts?.flaws.isEmpty == false ? "flawed" : "whole"
    case .file: "unread"
    case .limit: "too-large"
    case .notImage: "no-image"
    default: "damaged"
    }
  }

  func appendLine(to buffer: inout [UInt8]) {
    let size = facts.map { "\($0.width)x\($0.height)" } ?? "-"
    let frames = facts.map { String($0.frames) } ?? "-"
    buffer.append(text: "\(verdict)\t\(facts?.format.mime ?? "-")\t\(size)\t\(frames)\t\(bytes)\t")
    SafeText.append(path: name, to: &buffer)
    buffer.append(UInt8(ascii: "\n"))
  }
}
