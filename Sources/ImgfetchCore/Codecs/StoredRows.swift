/// Rows in memory.
final class StoredRows: RowSource {
  let layout: PixelLayout
  private let bytes: [UInt8]
  private var given = 0

  init(_ layout: PixelLayout, _ bytes: [UInt8]) {
    self.layout = layout
    self.bytes = bytes
  }

  func read(into row: inout [UInt8]) throws(PixelFailure) {
    let start = given * layout.rowBytes
    given += 1
    row.replaceSubrange(0..<layout.rowBytes, with: bytes[start..<start + layout.rowBytes])
  }
}
