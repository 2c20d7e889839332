import ImgfetchCore

/// Writes a complete shard as a tar file, its members in the order of the list. The same images and
/// rows give the same bytes.
package struct ShardWriter {
  private let file: SharedDescriptor
  private let isStopped: () -> Bool
  private var buffer: [UInt8] = []
  private var length: Int64 = 0

  /// Written at once; larger members go past it.
  private static let bufferSize = 1 << 20
  /// The size from which the file system copies by itself.
  private static let directSize: Int64 = 256 << 10

  /// The form of a shard's members.
  package struct Form: Sendable {
    /// Lines that failed have their rows elsewhere.
    package var imagesOnly = false
    /// The extension of all images, or nil for that of each one's format.
    package var memberExtension: String?

    package init() {}
  }

  private init(_ file: SharedDescriptor, _ isStopped: @escaping () -> Bool) {
    self.file = file
    self.isStopped = isStopped
    buffer.reserveCapacity(Self.bufferSize)
  }

  /// Writes the shard to a file that is empty.
  ///
  /// - Parameters:
  ///   - duplicates: the records whose images are those of other ones, with the keys of these. They have rows among
  ///     those of the failed lines, and no images.
  ///   - isStopped: asked at each member.
  /// - Returns: what its last member says, and its size.
  package static func write(
    _ shard: OpenShard, _ job: ShardJob, _ form: Form = Form(), without duplicates: [Int: String] = [:],
    to file: SharedDescriptor, isStopped: @escaping () -> Bool
  ) throws(ShardFailure) -> (end: ShardEnd, size: Int64) {
    var writer = ShardWriter(file, isStopped)
    do throws(SystemError) {
      let end = try writer.write(shard, job, form, duplicates)
      return (end, writer.length)
    } catch {
      throw error.code == stop ? .stopped : .file(error)
    }
  }

  private static let stop = Errno.interrupted

  private mutating func write(
    _ shard: OpenShard, _ job: ShardJob, _ form: Form, _ duplicates: [Int: String]
  ) throws(SystemError) -> ShardEnd {
    var end = ShardEnd()
    let (slots, spool, hasCaptions) = shard.contents
    try member(ShardJob.member, job.content)
    if let spool {
      for slot in slots {
        guard case .image(let format) = slot.ending, duplicates[slot.record] == nil else { continue }
        if isStopped() { throw SystemError(.write, Self.stop) }
        let key = Self.key(slot.record)
        let name = form.memberExtension ?? format?.preferredExtension ?? "bin"
        try member("\(key).\(name)", from: spool, slot.body.offset, slot.body.count)
        try member("\(key).json", from: spool, slot.row.offset, Int64(slot.row.count))
        if hasCaptions {
          try member(
            "\(key).txt", from: spool, slot.row.offset + Int64(slot.row.count), Int64(slot.captionCount))
        }
        end.images += 1
        end.bytes += slot.body.count
      }
    }
    let failed = form.imagesOnly ? [] : slots.filter { $0.ending == .failed || duplicates[$0.record] != nil }
    // Each of these ends by one brace and a line break, before which what a duplicate is of is put in.
    let ends = failed.map { slot in duplicates[slot.record].map(Self.duplicateEnd) ?? [] }
    end.duplicates = failed.count(where: { duplicates[$0.record] != nil })
    end.failed = failed.count - end.duplicates
    end.failedBytes = zip(failed, ends).reduce(0) { $0 + Int64($1.0.row.count) + Int64(max(0, $1.1.count - 2)) }
    try append(TarFormat.header(ShardEnd.failedMember, size: end.failedBytes))
    end.failedOffset = length
    if let spool {
      for (slot, end) in zip(failed, ends) {
        try copy(from: spool, slot.row.offset, Int64(slot.row.count) - (end.isEmpty ? 0 : 2))
        try append(end)
      }
    }
    try pad(after: end.failedBytes)
    try member(ShardEnd.member, end.content)
    try append(TarFormat.end)
    try flush()
    return end
  }

  /// The end of the row of an image that is another one's duplicate.
  private static func duplicateEnd(_ key: String) -> [UInt8] { duplicateMark + Array("\"\(key)\"}\n".utf8) }

  private static let duplicateMark = Array(",\"duplicate_of\":".utf8)

  /// True if a row among those of failed lines is that of an image that another one stands for.
  package static func isOfDuplicate(_ row: ArraySlice<UInt8>) -> Bool {
    // The key has twelve digits and two quotation marks.
    row.count > duplicateMark.count + 16
      && row[(row.endIndex - 16 - duplicateMark.count)...].starts(with: duplicateMark)
  }

  /// A record's number as the name of its members: twelve digits.
  package static func key(_ record: Int) -> String {
    let digits = String(record)
    return String(repeating: "0", count: max(0, 12 - digits.utf8.count)) + digits
  }

  private mutating func member(_ name: String, _ content: [UInt8]) throws(SystemError) {
    try append(TarFormat.header(name, size: Int64(content.count)))
    try append(content)
    try pad(after: Int64(content.count))
  }

  private mutating func member(
    _ name: String, from spool: SharedDescriptor, _ offset: Int64, _ count: Int64
  ) throws(SystemError) {
    try append(TarFormat.header(name, size: count))
    try copy(from: spool, offset, count)
    try pad(after: count)
  }

  private mutating func pad(after size: Int64) throws(SystemError) {
    try append([UInt8](repeating: 0, count: TarFormat.padding(after: size)))
  }

  private mutating func append(_ bytes: [UInt8]) throws(SystemError) {
    if buffer.count + bytes.count > Self.bufferSize { try flush() }
    buffer.append(contentsOf: bytes)
    length += Int64(bytes.count)
  }

  private mutating func copy(from spool: SharedDescriptor, _ offset: Int64, _ count: Int64) throws(SystemError) {
    if count >= Self.directSize {
      try flush()
      guard let whole = Int(exactly: count),
        try spool.file.copy(from: offset, count: whole, to: file.file, at: length) == whole
      else { throw SystemError(.copyFileRange, .inputOutput) }
    } else {
      let whole = Int(count)
      if buffer.count + whole > Self.bufferSize { try flush() }
      guard try spool.file.read(into: &buffer, count: whole, at: offset) == whole else {
        throw SystemError(.pread, .inputOutput)
      }
    }
    length += count
  }

  private mutating func flush() throws(SystemError) {
    if buffer.isEmpty { return }
    try file.file.write(buffer.span, at: length - Int64(buffer.count))
    buffer.removeAll(keepingCapacity: true)
  }
}
