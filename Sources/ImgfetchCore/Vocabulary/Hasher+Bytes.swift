extension Hasher {
  /// Feeds a part of `bytes`, with its length, in words: the hasher takes as long for a byte as for eight.
  ///
  /// - Parameter ignoresCase: if true, A to Z count as a to z.
  package mutating func combine(_ bytes: borrowing Span<UInt8>, _ part: Range<Int>, ignoresCase: Bool = false) {
    var word: UInt64 = 0
    var at = part.lowerBound
    while at < part.upperBound {
      let end = min(at + 8, part.upperBound)
      while at < end {
        let byte = bytes[at]
        let isUpper = ignoresCase && byte &- UInt8(ascii: "A") < 26
        word = word << 8 | UInt64(isUpper ? byte | 0x20 : byte)
        at += 1
      }
      combine(word)
    }
    combine(part.count)
  }
}
