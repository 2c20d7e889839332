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
      ShardReport.begin(&buffer, shard, path, "not-made")
      ShardReport.append(tally, images: tally.images, failed: tally.failed, bytes: tally.bytes, size: 0, to: &buffer)
      ShardReport.append(tally.failures, elapsedMilliseconds, to: &buffer)
      buffer.append(text: ",\"reason\":")
      buffer.append(json: reason)
      buffer.append(text: "}\n")
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
    Self.begin(&buffer, shard.name, shard.path, outcome.rawValue)
    let tally = tally ?? ShardTally()
    Self.append(
      tally, images: shard.end.images, failed: shard.end.failed, duplicates: shard.end.duplicates,
      bytes: shard.end.bytes, size: shard.size, to: &buffer)
    Self.append(failures ?? tally.failures, elapsedMilliseconds, to: &buffer)
    buffer.append(text: "}\n")
  }

  private static func begin(_ buffer: inout [UInt8], _ shard: ShardName, _ path: String, _ outcome: String) {
    buffer.append(text: "{\"shard\":\"\(shard.text)\",\"file\":")
    buffer.append(json: path)
    buffer.append(text: ",\"outcome\":\"\(outcome)\"")
  }

  private static func append(
    _ tally: ShardTally, images: Int, failed: Int, duplicates: Int = 0, bytes: Int64, size: Int64,
    to buffer: inout [UInt8]
  ) {
    let numbers: [(String, Int64)] = [
      ("rows", Int64(images + failed + duplicates)), ("images", Int64(images)), ("failed", Int64(failed)),
      ("bytes", bytes), ("size", size),
    ]
    let caches = tally.caches.named.map { ($0.0, Int64($0.1)) }
    let traffic = [("downloaded", tally.downloaded), ("attempts", Int64(tally.attempts))]
    for (name, number) in numbers + caches + traffic {
      buffer.append(text: ",\"\(name)\":")
      buffer.append(number: number)
    }
    if duplicates > 0 {
      buffer.append(text: ",\"duplicates\":")
      buffer.append(number: duplicates)
    }
  }

  private static func append(
    _ failures: [ShardTally.Failures], _ elapsedMilliseconds: Double, to buffer: inout [UInt8]
  ) {
    buffer.append(text: ",\"elapsed_ms\":")
    buffer.append(milliseconds: elapsedMilliseconds)
    buffer.append(text: ",\"failures\":[")
    for (at, failure) in failures.enumerated() {
      buffer.append(text: (at > 0 ? "," : "") + "{\"kind\":\"\(failure.kind.rawValue)\",\"status\":")
      if let status = failure.status { buffer.append(number: status) } else { buffer.append(text: "null") }
      buffer.append(text: ",\"count\":")
      buffer.append(number: failure.count)
      buffer.append(text: ",\"message\":")
      buffer.append(json: failure.message)
      buffer.append(UInt8(ascii: "}"))
    }
    buffer.append(UInt8(ascii: "]"))
  }
}
