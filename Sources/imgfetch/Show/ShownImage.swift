import ImgfetchCore

/// A whole image that is to be shown.
struct ShownImage: Sendable {
  let body: ImageBody
  let facts: ImageFacts
  /// The cache that the image came from; nil for a file of the user's.
  var cache: CacheType?

  init(_ body: ImageBody, _ facts: ImageFacts) {
    self.body = body
    self.facts = facts
  }

  /// A file of the user's, inspected. What a pipe or a device brings is read first.
  init(file name: String, _ settings: Settings, _ limits: PixelLimits) throws(FetchError) {
    let file: SharedDescriptor
    let status: FileStatus
    do throws(SystemError) {
      file = SharedDescriptor(try .open(name, .read))
      status = try file.file.status()
    } catch { throw FetchError(.file, name, "cannot be opened: \(error.code)") }
    let body: ImageBody
    if status.kind == .regular {
      body = ImageBody(.file(.init(descriptor: file, length: status.size, expectedHash: nil)))
    } else {
      do throws(SystemError) {
        body = ImageBody(.bytes(try Self.bytes(of: file, most: settings.fetch.maximumBytes)))
      } catch { throw FetchError(.file, name, "cannot be read: \(error.code)") }
    }
    guard body.count <= settings.fetch.maximumBytes else {
      throw FetchError(
        .limit, name, "larger than \(settings.fetch.maximumBytes) bytes", remedy: .allowMoreBytes)
    }
    try self.init(inspecting: body, name, limits)
    if let objection = settings.fetch.filter.objection(to: facts) { throw FetchError(.damaged, name, objection) }
  }

  /// All bytes of a stream, or more than may be.
  private static func bytes(of stream: SharedDescriptor, most: Int64) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    while Int64(bytes.count) <= most {
      if try stream.file.read(into: &bytes, count: 256 << 10) == 0 { break }
    }
    return bytes
  }

  init(inspecting body: ImageBody, _ name: String, _ limits: PixelLimits) throws(FetchError) {
    var inspector = Inspector(limits: InspectionLimits(maxPixels: limits.maxPixels))
    var failure: InspectionFailure?
    do throws(BodyReadFailure) {
      try body.read { piece in
        guard failure == nil else { return }
        do throws(InspectionFailure) { try inspector.feed(piece) } catch { failure = error }
      }
    } catch { throw FetchError(.file, name, "cannot be read") }
    if let failure { throw failure.fetchError(of: name) }
    do throws(InspectionFailure) {
      switch try inspector.verdict() {
      case .accepted(let facts): self.init(body, facts)
      case .doubtful(let facts, let failure):
        guard PixelCheck.dispelsDoubt(about: body, facts, limits) else { throw failure }
        self.init(body, facts)
      }
    } catch { throw error.fetchError(of: name) }
  }

  /// The line above the picture.
  func line(_ name: String) -> String {
    var parts = [facts.shownHead, Amount.size(body.count)]
    if facts.frames > 1 { parts.append(Amount.count(facts.frames, "frame")) }
    if let cache { parts.append(cache == .network ? "network" : cache.rawValue) }
    return SafeText.text(name) + "  " + parts.joined(separator: ", ")
  }
}
