/// A row that is kept to be shown: its texts are cut, so that no row takes more than a few kilobytes.
package struct Sample: Sendable {
  package var url = ""
  /// The file that holds the image, or empty if none is known.
  package var place = ""
  /// The place of the image in a shard, or nil if it lies in none.
  package var image: ImagePlace?
  package var format = ""
  /// `http:404`; empty where it is an image.
  package var cause = ""
  package var message = ""
  package var thumbhash = ""
  package var width: Int?
  package var height: Int?
  package var bytes: Int64?
  package var elapsed: Double?
  package var line: Int?
  /// The number of the row among all rows, from 1.
  package var row = 0

  package init() {}

  package init(_ row: Row, _ number: Int, in bytes: Span<UInt8>) {
    url = row.address.string(in: bytes)
    place = row.place.string(in: bytes, most: 4_096)
    image = row.image
    format = row.formatWord(in: bytes) ?? ""
    if row.hasFailed { cause = row.cause(in: bytes) }
    message = row.message.string(in: bytes)
    thumbhash = row.thumbhash.string(in: bytes, most: 64)
    (width, height, self.bytes, elapsed, line) = (row.width, row.height, row.bytes, row.elapsed, row.line)
    self.row = number
  }
}

/// The rows with the greatest measure, at most a given number of them. Among equals the first row stays.
package struct TopSamples: Sendable {
  private let most: Int
  private var kept: [(measure: Int64, sample: Sample)] = []
  /// The least measure that is kept, once there are as many as there may be.
  private var threshold = Int64.min

  package init(most: Int) { self.most = most }

  package mutating func add(_ measure: Int64, _ sample: () -> Sample) {
    guard kept.count < most || measure > threshold else { return }
    let place = kept.firstIndex { $0.measure < measure } ?? kept.count
    kept.insert((measure, sample()), at: place)
    if kept.count > most { kept.removeLast() }
    if kept.count == most { threshold = kept.last?.measure ?? .min }
  }

  /// The greatest first.
  package var samples: [Sample] { kept.map(\.sample) }
}

/// Rows that are chosen by a seed from any number of rows: the same seed and rows always make the same choice.
package struct SeededSamples: Sendable {
  private var top: TopSamples
  private let seed: UInt64

  package init(most: Int, seed: UInt64) {
    top = TopSamples(most: most)
    self.seed = seed
  }

  package mutating func add(_ number: Int, _ sample: () -> Sample) {
    var value = (UInt64(truncatingIfNeeded: number) &+ seed) &* 0x9E37_79B9_7F4A_7C15
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    top.add(Int64(bitPattern: value ^ (value >> 31)), sample)
  }

  /// In the order of the rows.
  package var samples: [Sample] { top.samples.sorted { $0.row < $1.row } }
}
