import ImgfetchCore
import ImgfetchShow

extension ShownImage {
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

  /// The line above the picture.
  func line(_ name: String) -> String {
    var parts = [facts.shownHead, Amount.size(body.count)]
    if facts.frames > 1 { parts.append(Amount.count(facts.frames, "frame")) }
    if let cache { parts.append(cache == .network ? "network" : cache.rawValue) }
    return SafeText.text(name) + "  " + parts.joined(separator: ", ")
  }
}
