/// Reads numbers one after the other from a table that was collected whole. The formats whose tables need it are few
/// and their tables short; the walks of the others read field by field, by ``FieldBuffer``.
///
/// Beyond the end every number is 0 and ``isShort`` is set, so that a caller looks once, when it is done.
struct FieldReader {
  private let bytes: ArraySlice<UInt8>
  private let order: ByteOrder
  private var at: Int
  private(set) var isShort = false

  init(_ bytes: ArraySlice<UInt8>, order: ByteOrder = .big) {
    self.bytes = bytes
    self.order = order
    at = bytes.startIndex
  }

  init(_ bytes: [UInt8], order: ByteOrder = .big) { self.init(bytes[...], order: order) }

  /// The number in the next `size` bytes, at most eight. One beyond what an Int64 holds becomes its largest.
  mutating func number(_ size: Int) -> Int {
    guard size <= left else {
      skip(size)
      return 0
    }
    var number: UInt64 = 0
    for place in 0..<size {
      let byte = UInt64(bytes[at + place])
      number = order == .big ? number << 8 | byte : number | byte << (8 * UInt64(place))
    }
    at += size
    return Int(clamping: number)
  }

  /// The number, in the next `size` bytes, of entries that follow; 0 if there is no room for that many entries of at
  /// least `entry` bytes. So no loop over them is longer than the table.
  mutating func count(_ size: Int, entries entry: Int) -> Int {
    let count = number(size)
    let (length, overflow) = count.multipliedReportingOverflow(by: entry)
    guard !overflow, length <= left else {
      isShort = true
      return 0
    }
    return count
  }

  mutating func skip(_ count: Int) {
    isShort = isShort || count > left
    at += min(count, left)
  }

  /// The next bytes up to a zero, which is skipped.
  mutating func text() -> ArraySlice<UInt8> {
    let text = bytes[at...].prefix { $0 != 0 }
    skip(text.count + 1)
    return text
  }

  /// The next bytes.
  mutating func slice(_ count: Int) -> ArraySlice<UInt8> {
    let start = at
    skip(max(0, count))
    return bytes[start..<at]
  }

  /// The number of bytes that were not read.
  var left: Int { bytes.endIndex - at }
}
