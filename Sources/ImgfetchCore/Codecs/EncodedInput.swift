import CImageShim

/// An encoded image as decoders read it: small ones from memory, large ones from their file.
///
/// Owns the copy in memory, and keeps the file open. A stored body that nobody has checked is checked here, before its
/// first pixel is decoded.
@safe
final class EncodedInput {
  /// Up to here a file is read as a whole, which saves a call for each piece of it; most images are smaller.
  private static let memoryLimit: Int64 = 4 << 20

  private let body: ImageBody
  private let copy: UnsafeMutableBufferPointer<UInt8>?

  init(_ body: ImageBody) throws(PixelFailure) {
    self.body = body
    let isSmall = body.count <= Self.memoryLimit
    if case .file = body.content, !isSmall {
      unsafe copy = nil
      if !body.isChecked { try Self.read(body) { _ in } }
      return
    }
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, Int(body.count)))
    unsafe copy = buffer
    unsafe buffer.initialize(repeating: 0)
    var at = 0
    try Self.read(body) { piece in
      // Proof: there is room for `body.count` bytes, and no more are written; this is the only place that writes them.
      let count = min(buffer.count - at, piece.count)
      unsafe piece.withUnsafeBufferPointer { bytes in
        guard count > 0, let from = bytes.baseAddress, let to = buffer.baseAddress else { return }
        unsafe (to + at).update(from: from, count: count)
      }
      at += count
    }
  }

  deinit { unsafe copy?.deallocate() }

  private static func read(_ body: ImageBody, _ take: (borrowing Span<UInt8>) -> Void) throws(PixelFailure) {
    do { try body.read { (piece) throws(SystemError) in take(piece) } } catch { throw PixelFailure(error) }
  }

  /// As the C seam takes it. It must not be used longer than this object lives.
  var seam: imgfetch_input {
    // Proof: the copy lives as long as this object.
    if let copy = unsafe copy {
      return unsafe imgfetch_input(bytes: UnsafePointer(copy.baseAddress), descriptor: -1, length: UInt64(body.count))
    }
    guard case .file(let stored) = body.content else {
      return unsafe imgfetch_input(bytes: nil, descriptor: -1, length: 0)
    }
    return unsafe imgfetch_input(
      bytes: nil, descriptor: stored.descriptor.file.raw, length: UInt64(max(0, stored.length)))
  }
}
