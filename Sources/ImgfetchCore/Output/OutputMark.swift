/// The mark of a written file, in an extended attribute: its image, and its contents when it was written. It lives and
/// dies with the file, and follows when that is renamed or copied with its attributes. It is void once the file has
/// changed. 56 bytes: with 64, ext4 would use an extra block for each file.
package struct OutputMark: Hashable, Sendable {
  static let attribute = "user.imgfetch.key"

  /// The nature of the bytes.
  package enum Nature: Hashable, Sendable {
    /// The image itself.
    case image
    /// An image that a transform made.
    case derived(OutputOrigin)
    /// A placeholder for an image that is not available yet.
    case placeholder
  }

  let key: OutputKey
  let hash: ContentHash
  let size: Int64
  /// The file's modification time as it was written.
  let modified: WallTime
  var nature = Nature.image

  /// True if the mark is still valid: another program may have written to the file since.
  func isOf(_ status: FileStatus) -> Bool { status.size == size && status.modified == modified }
}

// The stored form: the hashes as they are printed, then size and time as little-endian numbers, then the version and
// its own fields. An image's mark is that of version 1, which had no others.
extension OutputMark {
  private static let ofImage: UInt64 = 1
  private static let ofOther: UInt64 = 2
  private static let isDerived: UInt64 = 1 << 8
  private static let isPlaceholder: UInt64 = 2 << 8

  var words: AttributeWords {
    [
      key.high.bigEndian, key.low.bigEndian, hash.high.bigEndian, hash.low.bigEndian,
      UInt64(bitPattern: size).littleEndian, UInt64(bitPattern: modified.nanoseconds).littleEndian,
      lastWord.littleEndian,
    ]
  }

  private var lastWord: UInt64 {
    switch nature {
    case .image: Self.ofImage
    case .derived(let origin): Self.ofOther | Self.isDerived | origin.bits << 16
    case .placeholder: Self.ofOther | Self.isPlaceholder
    }
  }

  /// Nil if a later version wrote it.
  init?(_ words: AttributeWords) {
    let last = UInt64(littleEndian: words[6])
    switch last & 0xFFFF {
    case Self.ofImage where last == Self.ofImage: nature = .image
    case Self.ofOther | Self.isDerived: nature = .derived(OutputOrigin(bits: last >> 16))
    case Self.ofOther | Self.isPlaceholder: nature = .placeholder
    default: return nil
    }
    key = OutputKey(high: UInt64(bigEndian: words[0]), low: UInt64(bigEndian: words[1]))
    hash = ContentHash(high: UInt64(bigEndian: words[2]), low: UInt64(bigEndian: words[3]))
    size = Int64(bitPattern: UInt64(littleEndian: words[4]))
    modified = WallTime(nanoseconds: Int64(bitPattern: UInt64(littleEndian: words[5])))
  }
}
