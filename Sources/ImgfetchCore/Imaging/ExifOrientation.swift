/// Finds the orientation in an EXIF block that arrives in chunks, keeping one directory entry at a time.
///
/// Only the first directory is read, and only forwards. An invalid block leaves the orientation at 1 and does
/// not make the image damaged.
struct ExifOrientation: Sendable {
  private enum Phase: Sendable { case header, pastHeader, count, entry, done }

  /// 1 to 8; 1 until the tag is found.
  private(set) var value = 1
  private var phase = Phase.header
  private var field: FieldBuffer
  private var isBigEndian = false
  private var left = 0

  init() {
    field = FieldBuffer()
    field.begin(8)
  }

  /// Takes the next bytes of the block: those of `range`.
  mutating func feed(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    var at = range.lowerBound
    while at < range.upperBound {
      switch phase {
      case .header:
        if field.take(bytes, &at, end: range.upperBound) { readHeader() }
      case .pastHeader:
        let step = min(left, range.upperBound - at)
        at += step
        left -= step
        if left == 0 { expect(.count, 2) }
      case .count:
        if field.take(bytes, &at, end: range.upperBound) {
          left = number16(0)
          nextEntry()
        }
      case .entry:
        if field.take(bytes, &at, end: range.upperBound) { readEntry() }
      case .done: return
      }
    }
  }

  private mutating func expect(_ next: Phase, _ count: Int) {
    phase = next
    field.begin(count)
  }

  private mutating func readHeader() {
    // JPEG puts six bytes before the block, and so do some writers of WebP.
    if field.begins(with: "Exif") { return field.drop(6) }
    isBigEndian = field.begins(with: "MM")
    guard isBigEndian || field.begins(with: "II"), number16(2) == 42 else { return phase = .done }
    let directory = isBigEndian ? field.big32(4) : field.little32(4)
    guard directory >= 8 else { return phase = .done }
    left = directory - 8
    if left == 0 { expect(.count, 2) } else { phase = .pastHeader }
  }

  private mutating func nextEntry() {
    if left == 0 { return phase = .done }
    left -= 1
    expect(.entry, 12)
  }

  /// Reads an entry: tag, type, count, value. Orientation is tag 0x0112, one 16-bit number.
  private mutating func readEntry() {
    guard number16(0) == 0x0112 else { return nextEntry() }
    let number = number16(8)
    if number16(2) == 3, 1...8 ~= number { value = number }
    phase = .done
  }

  private func number16(_ place: Int) -> Int { isBigEndian ? field.big16(place) : field.little16(place) }
}
