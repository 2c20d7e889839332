import CCryptoShim
import CHashShim

/// The XXH3-128 hash of some bytes. It names entries by their keys, and detects damage to stored bytes.
///
/// No protection against an adversary is meant. The cache's folder belongs to its user alone.
package struct ContentHash: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package init(of bytes: borrowing Span<UInt8>) {
    // Proof: the hash reads `count` bytes from the base address, within the closure.
    let hash = unsafe bytes.withUnsafeBufferPointer { unsafe imgfetch_hash($0.baseAddress, $0.count) }
    self.init(high: hash.high, low: hash.low)
  }

  package init(of text: String) {
    var text = text
    let hash = text.withUTF8 { unsafe imgfetch_hash($0.baseAddress, $0.count) }
    self.init(high: hash.high, low: hash.low)
  }

  /// 32 hex digits.
  package var hex: String { String(decoding: hexDigits, as: UTF8.self) }

  /// The same as ASCII bytes.
  package var hexDigits: [UInt8] {
    var digits: [UInt8] = []
    digits.reserveCapacity(32)
    for place in 0..<32 { digits.append(hexDigit(at: place)) }
    return digits
  }

  /// One of the 32 digits, in ASCII.
  package func hexDigit(at place: Int) -> UInt8 {
    let half = place < 16 ? high : low
    return Hex.digit(UInt8(truncatingIfNeeded: half >> UInt64(60 - 4 * (place & 15))) & 15)
  }
}
