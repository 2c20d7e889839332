import CImageShim

/// An Exif block, read by libexif.
@safe
final class ExifReader {
  /// The directories of a block.
  enum Directory: Int32 {
    case image = 0
    case camera = 1
    case position = 2
  }

  private let handle: OpaquePointer

  /// Loads the library, in a process that is about to give up the right to open files.
  static func prepare() { imgfetch_exif_prepare() }

  /// - Parameters:
  ///   - block: From its byte order mark on.
  ///   - format: The image's, for errors.
  init(_ block: [UInt8], _ format: ImageFormat) throws(PixelFailure) {
    var trouble = imgfetch_trouble()
    // Proof: the block is read during the call; the handle is closed in deinit and used by this object only.
    let opened = unsafe block.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      guard let base = bytes.baseAddress else { return nil }
      return unsafe imgfetch_exif_open(base, bytes.count, &trouble)
    }
    guard let opened = unsafe opened else { throw PixelFailure(trouble, format) }
    unsafe handle = opened
  }

  deinit { unsafe imgfetch_exif_close(handle) }

  /// The longest text that is believed. Makers of lenses are fond of words.
  private static let longestText = 200

  /// The text of a tag without control characters and spaces around it, or nil if nothing is left.
  func text(_ directory: Directory, _ tag: UInt16) -> String? {
    var buffer = [CChar](repeating: 0, count: Self.longestText + 1)
    // Proof: the library's text is copied into the buffer, which is as long as it is told.
    guard unsafe imgfetch_exif_text(handle, directory.rawValue, tag, &buffer, buffer.count) else { return nil }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let text = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
    let words = String(String.UnicodeScalarView(text)).split(separator: " ")
    return words.isEmpty ? nil : words.joined(separator: " ")
  }

  /// A number of a tag, or nil if there is none.
  func number(_ directory: Directory, _ tag: UInt16, at index: UInt32 = 0) -> Double? {
    var number = 0.0
    // Proof: one number is written.
    guard unsafe imgfetch_exif_number(handle, directory.rawValue, tag, index, &number), number.isFinite else {
      return nil
    }
    return number
  }
}

extension ExifFacts {
  /// The facts that a block holds. A damaged one says little.
  init(_ block: ExifReader) {
    self.init()
    camera = Self.name(maker: block.text(.image, 0x010F), model: block.text(.image, 0x0110))
    lens = block.text(.camera, 0xA434)
    time = Self.moment(block)
    orientation = block.number(.image, 0x0112).flatMap { Int(exactly: $0) }.flatMap { 1...8 ~= $0 ? $0 : nil }
    exposureSeconds = block.number(.camera, 0x829A).flatMap(Self.positive)
    fNumber = block.number(.camera, 0x829D).flatMap(Self.positive)
    iso = block.number(.camera, 0x8827).flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
    focalLength = block.number(.camera, 0x920A).flatMap(Self.positive)
    latitude = Self.degrees(block, 0x0002, of: 90, negative: block.text(.position, 0x0001) == "S")
    longitude = Self.degrees(block, 0x0004, of: 180, negative: block.text(.position, 0x0003) == "W")
    let isBelow = block.number(.position, 0x0005) == 1
    altitude = block.number(.position, 0x0006).map { isBelow ? -$0 : $0 }
  }

  private static func positive(_ number: Double) -> Double? { number > 0 ? number : nil }

  /// Many makers begin the model with their name.
  private static func name(maker: String?, model: String?) -> String? {
    guard let maker, let model else { return model ?? maker }
    let first = maker.split(separator: " ").first ?? ""
    return model.lowercased().hasPrefix(first.lowercased()) ? model : "\(maker) \(model)"
  }

  /// `2024:05:01 12:34:56`, a fraction and an offset are texts of their own. When it was taken counts before when it
  /// was digitised or changed.
  private static func moment(_ block: ExifReader) -> String? {
    let tags: [(ExifReader.Directory, time: UInt16, fraction: UInt16, offset: UInt16)] = [
      (.camera, 0x9003, 0x9291, 0x9011), (.camera, 0x9004, 0x9292, 0x9012), (.image, 0x0132, 0x9290, 0x9010),
    ]
    for tag in tags {
      guard var time = block.text(tag.0, tag.time).flatMap(iso8601) else { continue }
      if let fraction = block.text(.camera, tag.fraction), fraction.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
        time += ".\(fraction)"
      }
      if let offset = block.text(.camera, tag.offset), hasForm(offset, "+00:00") { time += offset }
      return time
    }
    return nil
  }

  private static func iso8601(_ text: String) -> String? {
    guard hasForm(text, "0000:00:00 00:00:00"), !text.hasPrefix("0000") else { return nil }
    var bytes = Array(text.utf8)
    func number(_ place: Int, _ digits: Int) -> Int64 {
      bytes[place..<place + digits].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    guard CalendarDay(year: number(0, 4), month: number(5, 2), day: number(8, 2)) != nil, number(11, 2) < 24,
      number(14, 2) < 60, number(17, 2) <= 60  // A leap second.
    else { return nil }
    (bytes[4], bytes[7], bytes[10]) = (UInt8(ascii: "-"), UInt8(ascii: "-"), UInt8(ascii: "T"))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// True if a text has digits where the form has 0, a sign where it has +, and else the same characters.
  private static func hasForm(_ text: String, _ form: String) -> Bool {
    text.utf8.count == form.utf8.count
      && zip(text.utf8, form.utf8).allSatisfy { byte, wanted in
        switch wanted {
        case UInt8(ascii: "0"): 0x30...0x39 ~= byte
        case UInt8(ascii: "+"): byte == wanted || byte == UInt8(ascii: "-")
        default: byte == wanted
        }
      }
  }

  /// Degrees, minutes and seconds, each a fraction.
  private static func degrees(_ block: ExifReader, _ tag: UInt16, of most: Double, negative: Bool) -> Double? {
    guard let whole = block.number(.position, tag) else { return nil }
    let minutes = block.number(.position, tag, at: 1) ?? 0
    let seconds = block.number(.position, tag, at: 2) ?? 0
    let degrees = whole + minutes / 60 + seconds / 3600
    guard 0...most ~= degrees else { return nil }
    // A hundred-millionth of a degree is a millimetre.
    let rounded = (degrees * 1e8).rounded() / 1e8
    return negative ? -rounded : rounded
  }
}
