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
      case .done:
        return
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

/// The facts that a camera recorded about a picture, as far as users ask for them. Facts that the file lacks are nil.
public struct ExifFacts: Hashable, Sendable {
  /// Maker and model, as people say it: the maker once.
  public package(set) var camera: String?
  /// The lens.
  public package(set) var lens: String?
  /// The time at which it was taken, as ISO 8601 writes it; with fractions and an offset where the camera knew them.
  public package(set) var time: String?
  /// The turn that makes it upright, 1 to 8.
  public package(set) var orientation: Int?
  /// The time for which the shutter was open, in seconds.
  public package(set) var exposureSeconds: Double?
  /// The aperture, as a focal ratio.
  public package(set) var fNumber: Double?
  /// The sensitivity.
  public package(set) var iso: Int?
  /// The focal length in millimetres.
  public package(set) var focalLength: Double?
  /// The latitude at which it was taken, in degrees north.
  public package(set) var latitude: Double?
  /// Degrees east.
  public package(set) var longitude: Double?
  /// Metres above the sea.
  public package(set) var altitude: Double?

  package init() {}
}
