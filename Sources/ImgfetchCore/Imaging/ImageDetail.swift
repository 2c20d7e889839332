/// A detail of an image beyond its headers. It takes a decoder, and is computed on request only.
public enum ImageDetail: UInt8, CaseIterable, Sendable {
  /// A placeholder of some 25 bytes that keeps colours, shape and transparency, in base64.
  case thumbhash = 0
  /// A placeholder of 28 characters: 4 by 3 waves of colour.
  case blurhash = 1
  /// 64 bits that say of neighbouring parts which is brighter, in hex. Similar pictures differ in few of them.
  case dhash = 2
  /// 64 bits that say which of the slowest waves are strong, in hex. It stands changes of contrast and size.
  case phash = 3
  /// The camera's record.
  case exif = 4

  /// The name in options and reports.
  public var name: String {
    switch self {
    case .thumbhash: "thumbhash"
    case .blurhash: "blurhash"
    case .dhash: "dhash"
    case .phash: "phash"
    case .exif: "exif"
    }
  }

  /// The kinds that are made of the pixels.
  public static let fingerprints: [ImageDetail] = allCases.filter { $0 != .exif }
}
