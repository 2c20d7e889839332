/// Counts over time, in at most ``most`` spans of equal length. The length doubles whenever the time between the first
/// row and the last one needs it. A pure value.
package struct Timeline: Sendable {
  package struct Span: Sendable {
    package var images = 0
    package var failed = 0
    package var bytes: Int64 = 0
  }

  package static let most = 240

  /// The length of a span in seconds.
  package private(set) var width: Int64 = 1
  package private(set) var spans: [Span] = []
  /// The number of the first span: its time divided by ``width``.
  private var first: Int64 = 0

  package init() {}

  /// The time at which the first span begins.
  package var start: Int64 { first * width }
  package var end: Int64 { (first + Int64(spans.count)) * width }

  package mutating func add(_ time: Int64, failed: Bool, bytes: Int64) {
    // Years 1900 to 3000: what is beyond is no time of a run.
    guard (-2_208_988_800..<32_503_680_000).contains(time) else { return }
    if spans.isEmpty { first = Self.number(time, width) }
    var number = Self.number(time, width)
    while max(first + Int64(spans.count), number + 1) - min(first, number) > Int64(Self.most) {
      halve()
      number = Self.number(time, width)
    }
    if number < first {
      spans.insert(contentsOf: repeatElement(Span(), count: Int(first - number)), at: 0)
      first = number
    }
    while first + Int64(spans.count) <= number { spans.append(Span()) }
    let place = Int(number - first)
    if failed { spans[place].failed += 1 } else { spans[place].images += 1 }
    spans[place].bytes &+= bytes
  }

  private static func number(_ time: Int64, _ width: Int64) -> Int64 {
    let number = time / width
    return time < 0 && number * width != time ? number - 1 : number
  }

  /// Joins spans by twos.
  private mutating func halve() {
    let newFirst = Self.number(first, 2)
    var joined: [Span] = []
    for (offset, span) in spans.enumerated() {
      let place = Int(Self.number(first + Int64(offset), 2) - newFirst)
      if place == joined.count { joined.append(Span()) }
      joined[place].images += span.images
      joined[place].failed += span.failed
      joined[place].bytes &+= span.bytes
    }
    (spans, first, width) = (joined, newFirst, width * 2)
  }
}
