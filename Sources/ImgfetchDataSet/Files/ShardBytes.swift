import ImgfetchCore

/// The bytes of an existing shard, read in parts.
package struct ShardBytes: Sendable {
  package let size: Int64
  private let part: @Sendable (Int64, Int) throws(ShardFailure) -> [UInt8]

  /// - Parameter part: returns a number of bytes from an offset on; fewer only at the end.
  package init(size: Int64, _ part: @escaping @Sendable (Int64, Int) throws(ShardFailure) -> [UInt8]) {
    self.size = size
    self.part = part
  }

  init(_ file: SharedDescriptor, path: String) throws(ShardFailure) {
    let status: FileStatus
    do throws(SystemError) { status = try file.file.status() } catch { throw .file(error.of(path)) }
    guard status.kind == .regular else { throw .foreign(path) }
    size = status.size
    part = { (offset, count) throws(ShardFailure) in
      var bytes: [UInt8] = []
      do throws(SystemError) { _ = try file.file.read(into: &bytes, count: count, at: offset) } catch {
        throw .file(error.of(path))
      }
      return bytes
    }
  }

  func read(_ offset: Int64, _ count: Int) throws(ShardFailure) -> [UInt8] { try part(offset, count) }
}
