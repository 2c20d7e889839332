import ImgfetchCore
import ImgfetchDataSet

/// The row that is printed about a shard.
struct ShardReport: Sendable {
  enum Outcome: String, Sendable {
    /// Made by this run.
    case made
    /// Kept: it existed already.
    case kept
    /// Another attempt made it first.
    case lost
  }

  /// A shard that is not made.
  struct Refusal: Sendable {
    let shard: ShardName
    /// The file that it would be.
    let path: String
    let tally: ShardTally
    let elapsedMilliseconds: Double
    let reason: String

    func appendJSON(to buffer: inout [UInt8]) {
      ObjectWriter.appendLine(to: &buffer) { object in
        ShardReport.begin(&object, shard, path, "not-made")
        ShardReport.append(
          tally, images: tally.images, failed: tally.failed, bytes: tally.bytes, size: 0, to: &object)
        ShardReport.append(tally.failures, elapsedMilliseconds, to: &object)
        object.text("reason", reason)
      }
    }
  }

  let outcome: Outcome
  let shard: StandingShard
  /// The tally of this run's work on it; nil if it existed already.
  var tally: ShardTally?
  /// The failures in it if another attempt has made it; nil if they are those of the tally.
  var failures: [ShardTally.Failures]?
  var elapsedMilliseconds: Double = 0

  /// `outcome  shard  images  failed  bytes  milliseconds  file`.
  func appendLine(to buffer: inout [UInt8]) {
    buffer.append(text: "\(outcome.rawValue)\t\(shard.name.text)\t")
    for number in [Int64(shard.end.images), Int64(shard.end.failed), shard.size, Int64(elapsedMilliseconds)] {
      buffer.append(number: number)
      buffer.append(UInt8(ascii: "\t"))
    }
    SafeText.append(path: shard.path, to: &buffer)
    buffer.append(UInt8(ascii: "\n"))
  }

  func appendJSON(to buffer: inout [UInt8]) {
    ObjectWriter.appendLine(to: &buffer) { object in
      Self.begin(&object, shard.name, shard.path, outcome.rawValue)
      let tally = tally ?? ShardTally()
      Self.append(
        tally, images: shard.end.images, failed: shard.end.failed, duplicates: shard.end.duplicates,
        bytes: shard.end.bytes, size: shard.size, to: &object)
      Self.append(failures ?? tally.failures, elapsedMilliseconds, to: &object)
    }
  }

  private static func begin(_ object: inout ObjectWriter, _ shard: ShardName, _ path: String, _ outcome: String) {
    object.text("shard", shard.text)
    object.text("file", path)
    object.text("outcome", outcome)
  }

  private static func append(
    _ tally: ShardTally, images: Int, failed: Int, duplicates: Int = 0, bytes: Int64, size: Int64,
    to object: inout ObjectWriter
  ) {
    object.number("rows", images + failed + duplicates)
    object.number("images", images)
    object.number("failed", failed)
    object.number("bytes", bytes)
    object.number("size", size)
    for (name, count) in tally.caches.named { object.number(name, count) }
    object.number("downloaded", tally.downloaded)
    object.number("attempts", tally.attempts)
    if duplicates > 0 { object.number("duplicates", duplicates) }
  }

  private static func append(
    _ failures: [ShardTally.Failures], _ elapsedMilliseconds: Double, to object: inout ObjectWriter
  ) {
    object.milliseconds("elapsed_ms", elapsedMilliseconds)
    object.array("failures", failures) {
      $0.text("kind", $1.kind.rawValue)
      $0.number("status", $1.status)
      $0.number("count", $1.count)
      $0.text("message", $1.message)
    }
  }
}
