/// The metadata in files of boxes: AVIF, HEIC and JPEG XL. Nothing here reads pixels.
///
/// The tables of AVIF and HEIC name places in the file. So nothing is moved there: metadata is written over where it
/// stands, with what is to stay, and blanks behind it.
struct BoxFile {
  /// A box: where its header, its content and the next box begin.
  struct Box {
    let type: BoxType
    let start: Int64
    let content: Int64
    let end: Int64
  }

  private let read: MetadataReader.Source
  let length: Int64

  /// More boxes than any writer makes.
  private static let mostBoxes = 1 << 14

  init(_ read: @escaping MetadataReader.Source, length: Int64) {
    self.read = read
    self.length = length
  }

  init(_ image: [UInt8]) { self.init(Self.source(image), length: Int64(image.count)) }

  private static func source(_ image: [UInt8]) -> MetadataReader.Source {
    { place, count in
      let start = min(Int(clamping: max(0, place)), image.count)
      return Array(image[start..<start + min(max(0, count), image.count - start)])
    }
  }

  /// The boxes between two places, up to the first that is invalid.
  func boxes(from start: Int64, to end: Int64) -> [Box] {
    var found: [Box] = []
    var place = start
    while place <= end - 8, found.count < Self.mostBoxes {
      let head = read(place, 16)
      guard head.count >= 8 else { break }
      var fields = FieldReader(head)
      var length = fields.number(4)
      let type = BoxType(code: UInt32(truncatingIfNeeded: fields.number(4)))
      var content = place + 8
      if length == 1 {
        length = fields.number(8)
        content += 8
      } else if length == 0 {
        length = Int(clamping: end - place)
      }
      guard Int64(length) >= content - place, Int64(length) <= end - place else { break }
      found.append(Box(type: type, start: place, content: content, end: place + Int64(length)))
      place += Int64(length)
    }
    return found
  }

  func bytes(of range: Range<Int64>, atMost count: Int) -> [UInt8] {
    read(range.lowerBound, min(count, Int(clamping: range.upperBound - range.lowerBound)))
  }
}
