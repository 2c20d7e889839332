/// A JPEG without the segments that only speak of it, and without the further images of a multi-picture file.
enum BareJPEG {
  static func bytes(of image: [UInt8]) -> [UInt8]? {
    var bare = Array(image.prefix(2))
    var at = 2
    while at + 1 < image.count, image[at] == 0xFF {
      let mark = image[at + 1]
      // A mark may be filled up with any number of these.
      if mark == 0xFF {
        at += 1
        continue
      }
      if mark == 0xD9 { return bare + [0xFF, 0xD9] }
      guard at + 4 <= image.count else { return nil }
      let end = at + 2 + BareImage.big(image, at + 2, 2)
      guard end >= at + 4, end <= image.count else { return nil }
      if isOfThePicture(mark, image[(at + 4)..<end]) { bare += image[at..<end] }
      at = end
      if mark == 0xDA {
        at = endOfCodes(image, from: end)
        bare += image[end..<at]
      }
    }
    return nil
  }

  /// Application data and comments are not, but for what tells decoders how the colours were turned.
  private static func isOfThePicture(_ mark: UInt8, _ content: ArraySlice<UInt8>) -> Bool {
    switch mark {
    case 0xE0: content.starts(with: "JFIF".utf8)
    case 0xEE: content.starts(with: "Adobe".utf8)
    case 0xE1...0xEF, 0xFE: false
    default: true
    }
  }

  /// Where coded data ends: at the first mark that does not restart it.
  private static func endOfCodes(_ image: [UInt8], from start: Int) -> Int {
    var at = start
    while true {
      at = FastBytes.mark(in: image.span, from: at)
      guard at + 1 < image.count, 0xD0...0xD7 ~= image[at + 1] else { return at }
      at += 2
    }
  }
}
