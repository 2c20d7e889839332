/// Whose image an output is: the first 16 bytes of the SHA-256 of its key. Unlike the cache's hash it cannot be met on purpose.
package struct OutputKey: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  package init(of key: String) {
    (high, low) = SHA256.prefix(of: key.utf8Span.span)
  }

  /// 32 hex digits.
  package var hex: String { ContentHash(high: high, low: low).hex }
}

/// What a written file says of itself, in an extended attribute: whose image it is, and what it held when it was written.
///
/// It lives and dies with the file, is carried along when that is renamed or copied with its attributes, and says nothing any
/// more once the file has been changed. 56 bytes: with 64, ext4 would take a block of its own for each file.
struct OutputMark: Hashable, Sendable {
  static let attribute = "user.imgfetch.key"

  let key: OutputKey
  /// XXH3-128 of the bytes.
  let hash: ContentHash
  let size: Int64
  /// The file's time as it was written.
  let modified: WallTime

  init(key: OutputKey, hash: ContentHash, size: Int64, modified: WallTime) {
    self.key = key
    self.hash = hash
    self.size = size
    self.modified = modified
  }

  /// What was written says no more of a file that another program has written to since.
  func isOf(_ status: FileStatus) -> Bool { status.size == size && status.modified == modified }
}

// The stored form: the hashes as they are printed, then numbers in little-endian: size, time, version.
extension OutputMark {
  private static let version: UInt64 = 1

  var words: AttributeWords {
    [
      key.high.bigEndian, key.low.bigEndian, hash.high.bigEndian, hash.low.bigEndian,
      UInt64(bitPattern: size).littleEndian, UInt64(bitPattern: modified.nanoseconds).littleEndian,
      Self.version.littleEndian,
    ]
  }

  /// Nil: it was written by a later version.
  init?(_ words: AttributeWords) {
    guard UInt64(littleEndian: words[6]) == Self.version else { return nil }
    key = OutputKey(high: UInt64(bigEndian: words[0]), low: UInt64(bigEndian: words[1]))
    hash = ContentHash(high: UInt64(bigEndian: words[2]), low: UInt64(bigEndian: words[3]))
    size = Int64(bitPattern: UInt64(littleEndian: words[4]))
    modified = WallTime(nanoseconds: Int64(bitPattern: UInt64(littleEndian: words[5])))
  }
}

extension OutputKey {
  fileprivate init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
